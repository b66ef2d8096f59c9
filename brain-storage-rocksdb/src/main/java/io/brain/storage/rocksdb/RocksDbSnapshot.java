package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A reader of an engine at a pinned state. */
final class RocksDbSnapshot implements Snapshot {
    private final Engine engine;
    private final Pin pin;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** References: the open snapshot and each running read. */
    private final RefCount users = new RefCount(this::leave);

    /** Takes over the caller's entry in the engine's gate. */
    RocksDbSnapshot(Engine engine) {
        this.engine = engine;
        this.pin = engine.pin();
    }

    @Override
    public Bytes get(Bytes key) {
        use();
        try {
            return engine.get(pin.options(), key);
        } finally {
            users.release();
        }
    }

    /**
     * Reads keys individually: RocksJava's multiGet reports the keys of a damaged block as absent.
     */
    @Override
    public List<Bytes> get(List<Bytes> keys) {
        use();
        try {
            engine.checkReadable();
            List<Bytes> values = new ArrayList<>(keys.size());
            for (Bytes key : keys) {
                values.add(engine.get(pin.options(), key));
            }
            return values;
        } finally {
            users.release();
        }
    }

    @Override
    public Cursor cursor(KeyRange range, Cursor.Direction direction) {
        use();
        try {
            return RocksDbCursor.open(engine, pin, range, direction);
        } finally {
            users.release();
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            users.release();
        }
    }

    private void use() {
        if (closed.get() || !users.acquire()) {
            throw new StorageException(Kind.CLOSED, "snapshot is closed");
        }
    }

    private void leave() {
        pin.users().release();
        engine.readers().leave();
    }
}
