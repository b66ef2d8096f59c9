package io.brain.backend.read;

import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import java.util.List;

/** Counts the operations of a read in the engine. For one thread. */
public final class CountingStorage extends ForwardingKvStorage {
    int steps;
    int seeks;
    int gets;
    int cursors;

    /** Values that are no tombstones. */
    int values;

    public CountingStorage(KvStorage delegate) {
        super(delegate);
    }

    /** Moves of cursors, which pass records. */
    public int moves() {
        return steps + seeks;
    }

    /** Counts from zero again. */
    public void reset() {
        steps = 0;
        seeks = 0;
        gets = 0;
        cursors = 0;
        values = 0;
    }

    @Override
    public Snapshot snapshot() {
        return new CountingSnapshot(super.snapshot());
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        return new CountingSnapshot(super.snapshotAt(timestamp));
    }

    private Bytes fetched(Bytes value) {
        if (value != null && value.length() > VersionRecord.TRAILER) {
            values++;
        }
        return value;
    }

    private final class CountingSnapshot implements Snapshot {
        private final Snapshot delegate;

        CountingSnapshot(Snapshot delegate) {
            this.delegate = delegate;
        }

        @Override
        public Bytes get(Bytes key) {
            gets++;
            return fetched(delegate.get(key));
        }

        @Override
        public List<Bytes> get(List<Bytes> keys) {
            gets += keys.size();
            List<Bytes> found = delegate.get(keys);
            found.forEach(CountingStorage.this::fetched);
            return found;
        }

        @Override
        public Cursor cursor(KeyRange range, Cursor.Direction direction) {
            cursors++;
            return new CountingCursor(delegate.cursor(range, direction));
        }

        @Override
        public void close() {
            delegate.close();
        }
    }

    private final class CountingCursor implements Cursor {
        private final Cursor delegate;

        CountingCursor(Cursor delegate) {
            this.delegate = delegate;
        }

        @Override
        public boolean next() {
            steps++;
            return delegate.next();
        }

        @Override
        public boolean seek(Bytes key) {
            seeks++;
            return delegate.seek(key);
        }

        @Override
        public Bytes key() {
            return delegate.key();
        }

        @Override
        public Bytes value() {
            return fetched(delegate.value());
        }

        /** Counts a value if it is copied completely and larger than a peek. */
        @Override
        public int copyValue(byte[] target, int at) {
            int length = delegate.copyValue(target, at);
            if (length > HeadScan.PEEK_BYTES && length <= target.length - at) {
                values++;
            }
            return length;
        }

        @Override
        public int valueLength() {
            return delegate.valueLength();
        }

        @Override
        public void close() {
            delegate.close();
        }
    }
}
