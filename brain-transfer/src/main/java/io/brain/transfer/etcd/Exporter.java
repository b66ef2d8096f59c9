package io.brain.transfer.etcd;

import io.brain.backend.store.ChangeSorter;
import io.brain.backend.store.KeyCoder;
import io.brain.bbolt.BboltWriter;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Exports a store as a database of etcd, from one snapshot of the newest state: later writes and
 * compactions neither change the result nor wait for it. Thread-safe.
 *
 * <p>Needs memory for the sorter and a few pages, and disk space for twice the exported changes.
 */
public final class Exporter {
    /** Bytes of changes to sort in memory; each collection of garbage copies them. */
    private static final long SORT_BYTES_MAX = 8 << 20;

    /** The limit as a fraction of the heap: 1/16. */
    private static final int SORT_SHARE = 16;

    private final KvStorage storage;
    private final KeyCoder coder;
    private final String version;
    private final long sortBytesMax;

    /**
     * Creates an exporter.
     *
     * @param keyspace name; empty for the keyspace without a name
     * @param version the version of etcd's storage, such as 3.7.0
     */
    public Exporter(KvStorage storage, String keyspace, String version) {
        this(
                storage,
                keyspace,
                version,
                Math.min(SORT_BYTES_MAX, Runtime.getRuntime().maxMemory() / SORT_SHARE));
    }

    Exporter(KvStorage storage, String keyspace, String version, long sortBytesMax) {
        this.storage = storage;
        this.coder = KeyCoder.of(keyspace);
        this.version = version;
        this.sortBytesMax = sortBytesMax;
    }

    /**
     * What was exported.
     *
     * @param revision the last revision
     * @param bytes length of the database
     */
    public record Exported(long revision, long bytes) {}

    /**
     * Exports the store.
     *
     * @param file receives the database; empty, and left open. Not synced
     * @param sortFile temporary file next to it; overwritten if it exists, and deleted
     * @param listener may throw to cancel
     * @throws io.brain.storage.StorageException of the engine; kind REFUSED if the scope cannot be
     *     exported, kind NO_SPACE if the disk has too little space
     * @throws IOException if a file cannot be written
     */
    public Exported export(
            FileChannel file, Path sortFile, ExportScope scope, StepListener listener)
            throws IOException {
        try (Snapshot snapshot = storage.snapshot();
                ChangeSorter sorter = new ChangeSorter(sortBytesMax, sortFile)) {
            StoreHead head = StoreHead.read(snapshot, coder);
            long newest = head.fence().revision();
            scope.requireReadable(head.compactRevision(), newest);
            DiskSpace space = new DiskSpace(sortFile.toAbsolutePath().getParent());
            space.require(scope.isAll() ? 2 * head.fence().bytes() : 0);
            BboltWriter out = BboltWriter.create(file);
            new EtcdDatabaseWriter(snapshot, coder, head, scope, version)
                    .write(
                            out,
                            sorter,
                            (step, done, total) -> {
                                space.check();
                                listener.progress(step, done, total);
                            });
            return new Exported(scope.lastOf(newest), out.finish());
        }
    }
}
