package io.brain.transfer.etcd;

import io.brain.backend.wire.KeyValue;
import io.brain.bbolt.BboltReader;
import io.brain.bbolt.BboltWriter;
import io.brain.bbolt.BucketCursor;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Copies a database of etcd without the changes that a scope leaves out. Used by one thread. */
public final class DatabaseFilter {
    private static final long NEVER = -1;

    private final ExportScope scope;
    private final String version;
    private final StepListener listener;
    private long bytes;
    private long newest = 1;

    private DatabaseFilter(ExportScope scope, String version, StepListener listener) {
        this.scope = scope;
        this.version = version;
        this.listener = listener;
    }

    /**
     * Copies a database.
     *
     * @param file receives the copy; empty, and left open. Not synced
     * @param version replaces that of etcd's storage, such as 3.6.0; null: as in the source
     * @throws io.brain.storage.StorageException kind REFUSED if the scope cannot be exported
     * @throws IOException if a file cannot be read or written, or is damaged
     */
    public static Exporter.Exported copy(
            Path source, FileChannel file, ExportScope scope, String version, StepListener listener)
            throws IOException {
        try (BboltReader reader = BboltReader.open(source)) {
            return new DatabaseFilter(scope, version, listener)
                    .copy(reader, BboltWriter.create(file));
        }
    }

    private Exporter.Exported copy(BboltReader reader, BboltWriter out) throws IOException {
        long compacted =
                Math.max(
                        compacted(reader, EtcdSchema.SCHEDULED_COMPACTION),
                        compacted(reader, EtcdSchema.FINISHED_COMPACTION));
        newest = Math.max(newest, compacted);
        scope.requireReadable(compacted, Long.MAX_VALUE);
        BucketCursor buckets = reader.buckets();
        while (buckets.next()) {
            BucketCursor records = reader.bucket(buckets.key()).orElseThrow();
            if (Arrays.equals(buckets.key(), EtcdSchema.KEY)) {
                copyChanges(records, new KeyBucketWriter(out, scope), compacted, reader.length());
                continue;
            }
            if (Arrays.equals(buckets.key(), EtcdSchema.BRAIN_TIMES) && !scope.isWhole()) {
                continue;
            }
            out.bucket(buckets.key());
            while (records.next()) {
                boolean replaced = version != null && isVersion(records.key());
                out.put(
                        records.key(),
                        replaced ? version.getBytes(StandardCharsets.US_ASCII) : records.value());
            }
        }
        scope.requireReadable(compacted, newest);
        return new Exporter.Exported(scope.lastOf(newest), out.finish());
    }

    private static boolean isVersion(byte[] key) {
        return Arrays.equals(key, EtcdSchema.CLUSTER_VERSION)
                || Arrays.equals(key, EtcdSchema.STORAGE_VERSION);
    }

    private void copyChanges(BucketCursor changes, KeyBucketWriter out, long compacted, long length)
            throws IOException {
        while (changes.next()) {
            if (!EtcdSchema.isChangeKey(changes.key())) {
                throw new IOException("a change has a malformed key");
            }
            long revision = EtcdSchema.revision(changes.key());
            newest = Math.max(newest, revision);
            if (revision > scope.lastOf(Long.MAX_VALUE)) {
                break;
            }
            byte[] kv = changes.value();
            bytes += kv.length;
            listener.progress("filter", bytes, length);
            if (out.admits(revision, KeyValue.decode(Bytes.wrap(kv)).key())) {
                out.put(revision, EtcdSchema.sub(changes.key()), kv);
            }
        }
        out.finish(compacted);
    }

    /** A revision of the meta bucket; -1 if it has none. */
    private static long compacted(BboltReader reader, byte[] name) throws IOException {
        Optional<BucketCursor> meta = reader.bucket(EtcdSchema.META);
        boolean found = meta.isPresent() && meta.get().find(name);
        byte[] revision = found ? meta.get().value() : null;
        return revision != null && EtcdSchema.isChangeKey(revision)
                ? EtcdSchema.revision(revision)
                : NEVER;
    }
}
