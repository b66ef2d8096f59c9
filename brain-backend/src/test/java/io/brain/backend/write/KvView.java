package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/** Operations of simulated requests, on a {@link TxnContext} or on the {@link Model}. */
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

    /** Writes the key's version to the history if it exists; observes nothing. */
    default void writeEarly(Bytes key) {}

    Bytes record(Bytes internalKey);

    void putRecord(Bytes internalKey, Bytes value);

    void deleteRecord(Bytes internalKey);

    /** The keys of a scan. */
    static List<Bytes> keysOf(TxnContext.Scan scan) {
        try (scan) {
            List<Bytes> keys = new ArrayList<>();
            while (scan.next()) {
                keys.add(scan.key());
            }
            return keys;
        }
    }

    /** The pending state in a context. */
    static KvView of(TxnContext context, EarlyHistory early) {
        return new KvView() {
            @Override
            public void writeEarly(Bytes key) {
                HeadRecord head = context.getBefore(key);
                if (head.exists()) {
                    var version = new EarlyHistory.Version(key, head);
                    context.writeEarly(version);
                    context.onPublished(() -> early.add(List.of(version)));
                }
            }

            @Override
            public long headerRevision() {
                return context.headerRevision();
            }

            @Override
            public KeyValue get(Bytes key) {
                return context.get(key).kv();
            }

            @Override
            public List<Bytes> keys(KeySpan span) {
                return keysOf(context.scan(span));
            }

            @Override
            public boolean deleteAttached(long lease) {
                return context.deleteAttached(lease);
            }

            @Override
            public void put(Bytes key, Bytes value, long lease) {
                context.put(key, value, lease);
            }

            @Override
            public void delete(Bytes key) {
                context.delete(key);
            }

            @Override
            public boolean dropTombstone(Bytes key) {
                boolean tombstone = context.get(key).isTombstone();
                if (tombstone) {
                    context.dropTombstone(key);
                }
                return tombstone;
            }

            @Override
            public Bytes record(Bytes internalKey) {
                return context.record(internalKey);
            }

            @Override
            public void putRecord(Bytes internalKey, Bytes value) {
                context.putRecord(internalKey, value);
            }

            @Override
            public void deleteRecord(Bytes internalKey) {
                context.deleteRecord(internalKey);
            }
        };
    }
}
