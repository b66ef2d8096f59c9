package io.brain.storage;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** The keys of a storage that begin with a prefix, without it: one of those that share a TiKV. */
public final class PrefixedStorage extends ForwardingKvStorage {
    private final Bytes prefix;

    /**
     * Decorates a storage.
     *
     * @param prefix not empty
     */
    public PrefixedStorage(KvStorage delegate, Bytes prefix) {
        super(delegate);
        this.prefix = prefix;
    }

    private Bytes inner(Bytes key) {
        return prefix.concat(key);
    }

    private KeyRange inner(KeyRange range) {
        Bytes end = range.end();
        return new KeyRange(inner(range.start()), end == null ? prefix.prefixEnd() : inner(end));
    }

    private WriteBatch inner(WriteBatch batch) {
        WriteBatch.Builder inner = WriteBatch.builder();
        batch.mutations().forEach(mutation -> inner.add(inner(mutation)));
        return (batch.needsSpace() ? inner.needsSpace() : inner).build();
    }

    private Mutation inner(Mutation mutation) {
        Bytes key = inner(mutation.key());
        if (mutation instanceof Mutation.Put put) {
            return new Mutation.Put(key, put.value());
        } else if (mutation instanceof Mutation.PutIfAbsent put) {
            return new Mutation.PutIfAbsent(key, put.value());
        } else if (mutation instanceof Mutation.CompareAndSet set) {
            return new Mutation.CompareAndSet(key, set.expected(), set.value());
        } else if (mutation instanceof Mutation.DeleteIfCurrent delete) {
            return new Mutation.DeleteIfCurrent(key, delete.expected());
        }
        return new Mutation.Delete(key);
    }

    private Bytes outer(Bytes key) {
        return Bytes.copyOf(key.array(), prefix.length(), key.length() - prefix.length());
    }

    private CommitResult outer(CommitResult result) {
        return result instanceof CommitResult.Conflict conflict
                ? new CommitResult.Conflict(outer(conflict.key()), conflict.actual())
                : result;
    }

    @Override
    public Snapshot snapshot() {
        return new PrefixedSnapshot(super.snapshot());
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        return new PrefixedSnapshot(super.snapshotAt(timestamp));
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        return super.commit(inner(batch)).thenApply(this::outer);
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        return super.resolve(inner(batch)).thenApply(this::outer);
    }

    @Override
    public CompletionStage<Void> fenceOff(List<Bytes> primaries) {
        return super.fenceOff(primaries.stream().map(this::inner).toList());
    }

    @Override
    public int keyBytesMax() {
        return super.keyBytesMax() - prefix.length();
    }

    private final class PrefixedSnapshot implements Snapshot {
        private final Snapshot snapshot;

        PrefixedSnapshot(Snapshot snapshot) {
            this.snapshot = snapshot;
        }

        @Override
        public Bytes get(Bytes key) {
            return snapshot.get(inner(key));
        }

        @Override
        public List<Bytes> get(List<Bytes> keys) {
            return snapshot.get(keys.stream().map(PrefixedStorage.this::inner).toList());
        }

        @Override
        public Cursor cursor(KeyRange range, Cursor.Direction direction) {
            return new PrefixedCursor(snapshot.cursor(inner(range), direction));
        }

        @Override
        public void close() {
            snapshot.close();
        }
    }

    private final class PrefixedCursor implements Cursor {
        private final Cursor cursor;

        PrefixedCursor(Cursor cursor) {
            this.cursor = cursor;
        }

        @Override
        public boolean next() {
            return cursor.next();
        }

        @Override
        public boolean seek(Bytes key) {
            return cursor.seek(inner(key));
        }

        @Override
        public Bytes key() {
            return outer(cursor.key());
        }

        @Override
        public Bytes value() {
            return cursor.value();
        }

        @Override
        public int valueLength() {
            return cursor.valueLength();
        }

        @Override
        public int copyValue(byte[] target, int at) {
            return cursor.copyValue(target, at);
        }

        @Override
        public void close() {
            cursor.close();
        }
    }
}
