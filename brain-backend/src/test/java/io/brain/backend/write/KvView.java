package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.List;

/** What simulated requests do, on the tip through a {@link TxnContext}, or on the {@link Model}. */
interface KvView {
    long headerRevision();

    /** Null if the key does not exist. */
    KeyValue get(Bytes key);

    List<Bytes> keys(KeySpan span);

    boolean deleteAttached(long lease);

    void put(Bytes key, Bytes value, long lease);

    void delete(Bytes key);

    /** Forgets the key's tombstone if the key is deleted; false if it is not. */
    boolean dropTombstone(Bytes key);

    Bytes record(Bytes internalKey);

    void putRecord(Bytes internalKey, Bytes value);

    void deleteRecord(Bytes internalKey);

    /** The tip as a turn shows it. */
    static KvView of(TxnContext turn) {
        return new KvView() {
            @Override
            public long headerRevision() {
                return turn.headerRevision();
            }

            @Override
            public KeyValue get(Bytes key) {
                return turn.get(key).kv();
            }

            @Override
            public List<Bytes> keys(KeySpan span) {
                return turn.keys(span);
            }

            @Override
            public boolean deleteAttached(long lease) {
                return turn.deleteAttached(lease);
            }

            @Override
            public void put(Bytes key, Bytes value, long lease) {
                turn.put(key, value, lease);
            }

            @Override
            public void delete(Bytes key) {
                turn.delete(key);
            }

            @Override
            public boolean dropTombstone(Bytes key) {
                boolean tombstone = turn.get(key).isTombstone();
                if (tombstone) {
                    turn.dropTombstone(key);
                }
                return tombstone;
            }

            @Override
            public Bytes record(Bytes internalKey) {
                return turn.record(internalKey);
            }

            @Override
            public void putRecord(Bytes internalKey, Bytes value) {
                turn.putRecord(internalKey, value);
            }

            @Override
            public void deleteRecord(Bytes internalKey) {
                turn.deleteRecord(internalKey);
            }
        };
    }
}
