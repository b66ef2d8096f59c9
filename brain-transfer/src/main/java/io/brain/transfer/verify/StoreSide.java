package io.brain.transfer.verify;

import io.brain.backend.hash.HistoryHash;
import io.brain.backend.model.KeySpan;
import io.brain.backend.read.HeadScan;
import io.brain.backend.store.ChangeSorter;
import io.brain.backend.store.HistoryScan;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.transfer.etcd.StoreHead;
import java.io.IOException;
import java.nio.file.Path;

/** A store that no server uses, or one on TiKV, read from one snapshot. */
public final class StoreSide implements Side {
    private static final long SORT_BYTES_MAX = 16 << 20;

    private final String name;
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final StoreHead head;
    private final Path sortFile;

    /**
     * Opens a snapshot of a store.
     *
     * @param name for messages
     * @param sortFile temporary file; overwritten if it exists, and deleted
     * @throws io.brain.storage.StorageException kind REFUSED if the store has no data of Brain
     */
    public StoreSide(String name, KvStorage storage, String keyspace, Path sortFile) {
        this.name = name;
        this.coder = KeyCoder.of(keyspace);
        this.snapshot = storage.snapshot();
        this.sortFile = sortFile;
        try {
            this.head = StoreHead.read(snapshot, coder);
        } catch (RuntimeException refused) {
            snapshot.close();
            throw refused;
        }
    }

    @Override
    public long newestRevision() {
        return head.fence().revision();
    }

    @Override
    public History history(long revision) throws IOException {
        requireReadable(revision);
        try (ChangeSorter sorter = new ChangeSorter(SORT_BYTES_MAX, sortFile)) {
            long floor = head.compactRevision();
            HistoryScan scan = new HistoryScan(snapshot, coder, floor, revision, () -> {});
            return new History(new HistoryHash(revision, floor, sorter).of(scan), floor);
        }
    }

    @Override
    public Entries entries(KeySpan span, long revision) throws IOException {
        requireReadable(revision);
        HeadScan scan = new HeadScan(snapshot, coder, span, revision);
        return new Entries() {
            @Override
            public Entry next() {
                return scan.next() ? new Entry(scan.key(), scan.kv()) : null;
            }

            @Override
            public void close() {
                scan.close();
            }
        };
    }

    private void requireReadable(long revision) throws IOException {
        if (revision > newestRevision() || revision < head.compactRevision()) {
            throw new IOException(
                    "%s: revision %d cannot be read; it has %d to %d"
                            .formatted(
                                    name,
                                    revision,
                                    Math.max(1, head.compactRevision()),
                                    newestRevision()));
        }
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
