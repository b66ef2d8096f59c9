package io.brain.transfer.etcd;

import io.brain.backend.store.ChangeSorter;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.bbolt.BboltWriter;
import io.brain.storage.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Makes a database that an import reads, from changes in any order, each of a revision of its own.
 * Used by one thread.
 */
public final class ChangeCollector implements Closeable {
    private static final long SORT_BYTES_MAX = 16 << 20;

    private final ChangeSorter sorter;
    private long written;

    /**
     * A collector.
     *
     * @param sortFile temporary file; overwritten if it exists, and deleted
     */
    public ChangeCollector(Path sortFile) {
        sorter = new ChangeSorter(SORT_BYTES_MAX, sortFile);
    }

    /**
     * Adds a put.
     *
     * @param kv encoded KeyValue
     */
    public void put(long revision, Bytes kv) throws IOException {
        sorter.add(revision, 0, kv.array());
    }

    /** Adds a delete. */
    public void delete(long revision, Bytes key) throws IOException {
        sorter.add(revision, 0, KeyValueCodec.encodeTombstone(key).array());
    }

    /**
     * Writes the database; can be called once.
     *
     * @param file empty, and left open
     * @param compacted the oldest readable revision; -1: all are
     * @throws EtcdException if two changes have the same revision
     */
    public void write(FileChannel file, long compacted) throws IOException {
        BboltWriter out = BboltWriter.create(file);
        KeyBucketWriter bucket = new KeyBucketWriter(out, ExportScope.ALL);
        sorter.drain(
                (revision, sub, kv) -> {
                    if (revision == written) {
                        throw new EtcdException("revision %d has two changes".formatted(revision));
                    }
                    bucket.put(revision, sub, kv);
                    written = revision;
                });
        out.bucket(EtcdSchema.META);
        if (compacted >= 0) {
            byte[] revision = EtcdSchema.revisionKey(compacted, 0);
            out.put(EtcdSchema.FINISHED_COMPACTION, revision);
            out.put(EtcdSchema.SCHEDULED_COMPACTION, revision);
        }
        out.finish();
    }

    @Override
    public void close() throws IOException {
        sorter.close();
    }
}
