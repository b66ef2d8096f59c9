package io.brain.transfer.load;

import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.ImportRecord.Progress;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.transfer.load.BatchFiller.Batch;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * The store that is filled. Each batch replaces the {@link ImportRecord}, so that an import that
 * was interrupted can continue, and a second one at the same time fails.
 */
final class ImportTarget {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Commits commits;

    /** The record that the last batch stores. */
    private ImportRecord record;

    /**
     * A target; {@link #begin} is called next.
     *
     * @param record identifies the import; its numbers are those of a new one
     */
    ImportTarget(KvStorage storage, KeyCoder coder, Commits commits, ImportRecord record) {
        this.storage = storage;
        this.coder = coder;
        this.commits = commits;
        this.record = record;
    }

    /** What is stored with the last batch. */
    Progress progress() {
        return record.progress();
    }

    /**
     * Stores the beginning of an import in an empty store, or takes over an unfinished one.
     *
     * @param identity of a new import; a server that starts meanwhile fails to store its own
     * @throws StorageException also of kind REFUSED: the store has other data
     */
    void begin(IdentityRecord identity) {
        fenceOff();
        ImportRecord unfinished = unfinished();
        WriteBatch.Builder batch = WriteBatch.builder();
        if (unfinished == null) {
            batch.putIfAbsent(coder.importKey(), record.encode());
            batch.putIfAbsent(coder.identityKey(), identity.encode());
        } else {
            record = record.after(unfinished, unfinished.progress());
            batch.compareAndSet(coder.importKey(), unfinished.encode(), record.encode());
        }
        commits.send(batch.build());
        commits.await();
    }

    /** Ends what a killed import has in flight. */
    private void fenceOff() {
        try {
            storage.fenceOff(List.of(coder.importKey())).toCompletableFuture().join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof StorageException cause) {
                throw cause;
            }
            throw failure;
        }
    }

    /** The unfinished import in the store; null if the store is empty. */
    private ImportRecord unfinished() {
        try (Snapshot snapshot = storage.snapshot()) {
            ImportRecord stored = ImportRecord.decode(snapshot.get(coder.importKey()));
            if (stored == null) {
                requireEmpty(snapshot);
            } else if (stored.isStandby()) {
                throw refused("the store is not empty: it is a standby of another cluster");
            } else if (!stored.source().equals(record.source())) {
                throw refused(
                        "the store has an unfinished import of %s, another file or with other"
                                        .formatted(stored.file())
                                + " options: finish that first, or delete the store");
            }
            return stored;
        }
    }

    private void requireEmpty(Snapshot snapshot) {
        for (KeyRange range : List.of(coder.metaRange(), coder.dataRange())) {
            try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
                if (cursor.next()) {
                    throw refused("the store is not empty: import into one that was never used");
                }
            }
        }
    }

    private static StorageException refused(String message) {
        return new StorageException(StorageException.Kind.REFUSED, message);
    }

    /** Stores a batch; returns before it is committed. */
    void store(Batch batch) {
        ImportRecord next = record.after(record, batch.progress());
        WriteBatch.Builder out = WriteBatch.builder();
        out.compareAndSet(coder.importKey(), record.encode(), next.encode());
        batch.mutations().forEach(out::add);
        commits.send(out.needsSpace().build());
        record = next;
    }

    /** Waits until the last batch is committed. */
    void await() {
        commits.await();
    }

    /**
     * Stores the last batch, and waits until all are committed.
     *
     * @param standbyOf the cluster that the store follows from now on; 0: none
     */
    void finish(Fence fence, List<Mutation> records, long standbyOf) {
        WriteBatch.Builder out = WriteBatch.builder();
        out.putIfAbsent(coder.fenceKey(), fence.encode());
        if (standbyOf == 0) {
            out.deleteIfCurrent(coder.importKey(), record.encode());
        } else {
            Bytes standby = record.asStandbyOf(standbyOf).encode();
            out.compareAndSet(coder.importKey(), record.encode(), standby);
        }
        records.forEach(out::add);
        commits.send(out.build());
        commits.await();
    }
}
