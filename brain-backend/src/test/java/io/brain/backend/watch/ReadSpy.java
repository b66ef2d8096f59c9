package io.brain.backend.watch;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A storage that counts what is read from it, and whose snapshots can be made to fail. */
final class ReadSpy extends ForwardingKvStorage {
    private final BooleanSupplier fails;
    int snapshots;
    int multiGets;
    int keysRead;

    /** The most bytes that one lookup returned. */
    long bytesTogether;

    /** Lookups after which the engine is unavailable. */
    int multiGetsMax = Integer.MAX_VALUE;

    ReadSpy(KvStorage delegate) {
        this(delegate, () -> false);
    }

    /** With a fault: a snapshot is refused as unavailable whenever {@code fails} says so. */
    ReadSpy(KvStorage delegate, BooleanSupplier fails) {
        super(delegate);
        this.fails = fails;
    }

    @Override
    public Snapshot snapshot() {
        return spied(super.snapshot());
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        return spied(super.snapshotAt(timestamp));
    }

    private Snapshot spied(Snapshot snapshot) {
        if (fails.getAsBoolean()) {
            snapshot.close();
            throw away();
        }
        snapshots++;
        return new Snapshot() {
            @Override
            public Bytes get(Bytes key) {
                return snapshot.get(key);
            }

            @Override
            public List<Bytes> get(List<Bytes> keys) {
                if (multiGets == multiGetsMax) {
                    throw away();
                }
                multiGets++;
                keysRead += keys.size();
                List<Bytes> found = snapshot.get(keys);
                long bytes = found.stream().mapToLong(v -> v == null ? 0 : v.length()).sum();
                bytesTogether = Math.max(bytesTogether, bytes);
                return found;
            }

            @Override
            public Cursor cursor(KeyRange range, Cursor.Direction direction) {
                return snapshot.cursor(range, direction);
            }

            @Override
            public void close() {
                snapshot.close();
            }
        };
    }

    private static StorageException away() {
        return new StorageException(StorageException.Kind.UNAVAILABLE, "the engine is away");
    }
}
