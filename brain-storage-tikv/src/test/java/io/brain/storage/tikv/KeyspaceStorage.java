package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * All keys of a storage under a prefix, which is how Brain uses a store that is shared; and the
 * store of the tests keeps records of its own behind all other keys, at 0xff.
 */
final class KeyspaceStorage extends ForwardingKvStorage {
    private final Bytes keyspace;

    KeyspaceStorage(KvStorage delegate, Bytes keyspace) {
        super(delegate);
        this.keyspace = keyspace;
    }

    private Bytes inner(Bytes key) {
        return keyspace.concat(key);
    }

    private Bytes outer(Bytes key) {
        return Bytes.copyOf(key.array(), keyspace.length(), key.length() - keyspace.length());
    }

    private KeyRange inner(KeyRange range) {
        return new KeyRange(
                inner(range.start()),
                range.end() == null ? keyspace.prefixEnd() : inner(range.end()));
    }

    @Override
    public Snapshot snapshot() {
        return new KeyspaceSnapshot(super.snapshot());
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        return new KeyspaceSnapshot(super.snapshotAt(timestamp));
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        return super.commit(inner(batch)).thenApply(this::outerResult);
    }

    @Override
    public CompletionStage<Void> fenceOff(List<Bytes> primaries) {
        return super.fenceOff(primaries.stream().map(this::inner).toList());
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        return super.resolve(inner(batch)).thenApply(this::outerResult);
    }

    private WriteBatch inner(WriteBatch batch) {
        WriteBatch.Builder builder = WriteBatch.builder();
        batch.mutations().forEach(mutation -> builder.add(inner(mutation)));
        return builder.build();
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

    private CommitResult outerResult(CommitResult result) {
        return result instanceof CommitResult.Conflict conflict
                ? new CommitResult.Conflict(outer(conflict.key()), conflict.actual())
                : result;
    }

    private final class KeyspaceSnapshot implements Snapshot {
        private final Snapshot snapshot;

        KeyspaceSnapshot(Snapshot snapshot) {
            this.snapshot = snapshot;
        }

        @Override
        public Bytes get(Bytes key) {
            return snapshot.get(inner(key));
        }

        @Override
        public List<Bytes> get(List<Bytes> keys) {
            return snapshot.get(keys.stream().map(KeyspaceStorage.this::inner).toList());
        }

        @Override
        public Cursor cursor(KeyRange range, Cursor.Direction direction) {
            return new KeyspaceCursor(snapshot.cursor(inner(range), direction));
        }

        @Override
        public void close() {
            snapshot.close();
        }
    }

    private final class KeyspaceCursor implements Cursor {
        private final Cursor cursor;

        KeyspaceCursor(Cursor cursor) {
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
        public void close() {
            cursor.close();
        }
    }
}
