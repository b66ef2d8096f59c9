package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * A cursor on RocksDB's iterator. The iterator knows the end of the scan, so that it does not read
 * or skip deleted keys beyond it.
 */
final class RocksDbCursor implements Cursor {
    private static final byte[] NOTHING = new byte[0];

    private final Engine engine;
    private final KeyRange range;
    private final boolean forward;
    private final ReadOptions options;
    private final Slice lower;
    private final Slice upper;
    private RocksIterator iterator;

    private boolean moved;
    private boolean onPair;
    private boolean closed;

    /** Key of the current pair; null until requested. */
    private Bytes key;

    private Bytes value;

    private RocksDbCursor(Engine engine, Pin pin, KeyRange range, Direction direction) {
        this.engine = engine;
        this.range = range;
        this.forward = direction == Direction.FORWARD;
        this.options = new ReadOptions().setSnapshot(pin.snapshot());
        this.lower = forward || range.start().isEmpty() ? null : new Slice(range.start().array());
        this.upper = range.end() == null ? null : new Slice(range.end().array());
        if (lower != null) {
            options.setIterateLowerBound(lower);
        }
        if (upper != null) {
            options.setIterateUpperBound(upper);
        }
    }

    /** Opens a cursor for a reader that has entered the engine. */
    static RocksDbCursor open(Engine engine, Pin pin, KeyRange range, Direction direction) {
        engine.checkReadable();
        engine.readers().enterWithAnother();
        RocksDbCursor cursor = new RocksDbCursor(engine, pin, range, direction);
        try {
            cursor.iterator = engine.iterator(cursor.options);
            return cursor;
        } catch (RuntimeException e) {
            cursor.close();
            throw e;
        }
    }

    @Override
    public boolean next() {
        check();
        if (moved && !onPair) {
            return false;
        }
        if (range.isEmpty()) {
            return false;
        }
        if (!moved) {
            toFirst();
        } else if (forward) {
            iterator.next();
        } else {
            iterator.prev();
        }
        return arrive();
    }

    @Override
    public boolean seek(Bytes target) {
        check();
        boolean beforeStart = target.compareTo(range.start()) < 0;
        boolean behindEnd = range.end() != null && target.compareTo(range.end()) >= 0;
        if (range.isEmpty() || (forward ? behindEnd : beforeStart)) {
            moved = true;
            onPair = false;
            return false;
        }
        if (forward ? beforeStart : behindEnd) {
            toFirst();
        } else if (forward) {
            iterator.seek(target.array());
        } else {
            iterator.seekForPrev(target.array());
        }
        return arrive();
    }

    @Override
    public Bytes key() {
        checkOnPair();
        if (key == null) {
            key = Bytes.wrap(iterator.key());
        }
        return key;
    }

    @Override
    public Bytes value() {
        checkOnPair();
        if (value == null) {
            value = Bytes.wrap(iterator.value());
        }
        return value;
    }

    @Override
    public int valueLength() {
        checkOnPair();
        return value != null ? value.length() : iterator.value(NOTHING, 0, 0);
    }

    @Override
    public int copyValue(byte[] target, int at) {
        checkOnPair();
        return iterator.value(target, at, target.length - at);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        onPair = false;
        if (iterator != null) {
            iterator.close();
        }
        options.close();
        if (lower != null) {
            lower.close();
        }
        if (upper != null) {
            upper.close();
        }
        engine.readers().leave();
    }

    private void toFirst() {
        if (forward) {
            iterator.seek(range.start().array());
        } else {
            iterator.seekToLast();
        }
    }

    private boolean arrive() {
        moved = true;
        key = null;
        value = null;
        onPair = iterator.isValid();
        if (!onPair) {
            try {
                iterator.status();
            } catch (RocksDBException e) {
                throw RocksErrors.of("cannot read", e);
            }
        }
        return onPair;
    }

    private void check() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "cursor is closed");
        }
        engine.checkReadable();
    }

    private void checkOnPair() {
        if (!onPair) {
            throw new IllegalStateException("cursor is not on a pair");
        }
    }
}
