package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A placed store. Changed in the {@link CommitQueue} only; any thread opens snapshots. */
final class PlacedStore {
    /** Shorter than any engine keeps old timestamps readable. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long PROBE_MILLIS = 1000;

    private final String name;
    private final KvStorage storage;

    /** Null in a store that was never used. */
    private volatile StoreRecord record;

    private volatile Commit last;

    /** Why no snapshot can be opened, until one can; null: one can, or nobody has tried. */
    private final AtomicReference<StorageException> away = new AtomicReference<>();

    /** Timestamp of the last commit, and when it was known. */
    private record Commit(long timestamp, long nanos) {}

    PlacedStore(String name, KvStorage storage, StoreRecord record) {
        this.name = name;
        this.storage = storage;
        this.record = record;
    }

    String name() {
        return name;
    }

    KvStorage storage() {
        return storage;
    }

    StoreRecord record() {
        return record;
    }

    /**
     * The newest state. Asks for no timestamp, which is a call to another machine, if it can. Fails
     * at once while the store is known not to answer: those who read other stores do not wait.
     */
    Snapshot snapshot() {
        Commit known = last;
        boolean fresh = known != null && System.nanoTime() - known.nanos < FRESH_NANOS;
        boolean timed = storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
        if (fresh && timed) {
            return storage.snapshotAt(known.timestamp);
        }
        StorageException failure = away.get();
        if (failure != null) {
            throw failure;
        }
        try {
            return storage.snapshot();
        } catch (StorageException first) {
            if (away.compareAndSet(null, first)) {
                probeLater();
            }
            throw first;
        }
    }

    private void probeLater() {
        CompletableFuture.delayedExecutor(PROBE_MILLIS, TimeUnit.MILLISECONDS).execute(this::probe);
    }

    /** Ends when the store answers or is closed. */
    private void probe() {
        try {
            storage.snapshot().close();
            away.set(null);
        } catch (RuntimeException | Error e) {
            StorageException still = Futures.failure(e);
            away.set(still);
            if (still.kind() != Kind.CLOSED) {
                probeLater();
            }
        }
    }

    /**
     * Checks changes that have to be committed here once the base has them.
     *
     * @throws StorageException kind TOO_LARGE if this store may refuse one
     */
    void requireFit(List<Mutation> changes) {
        for (Mutation change : changes) {
            Bytes value = change.newValue();
            if (change.key().length() > storage.keyBytesMax()) {
                throw tooLarge("a key");
            }
            if (value != null && value.length() > storage.valueBytesMax()) {
                throw tooLarge("a value");
            }
        }
    }

    private StorageException tooLarge(String what) {
        return new StorageException(Kind.TOO_LARGE, what + " is too large for store " + name);
    }

    /** The batch that brings a commit here, once. */
    WriteBatch batch(List<Mutation> changes) {
        WriteBatch.Builder batch = WriteBatch.builder();
        batch.compareAndSet(Records.STORE, record.encode(), record.next().encode());
        changes.forEach(batch::add);
        return batch.build();
    }

    /** The batch of {@link #batch} is committed. */
    void committed(long timestamp) {
        record = record.next();
        at(timestamp);
    }

    /** A commit without a number is committed. */
    void at(long timestamp) {
        last = new Commit(timestamp, System.nanoTime());
    }

    /** The store is this base's from now on. */
    void adopted(StoreRecord own, long timestamp) {
        record = own;
        at(timestamp);
    }
}
