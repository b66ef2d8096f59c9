package io.brain.backend.read;

import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;

/**
 * Iterates over the keys that exist at one revision, ascending. Fetches only what is asked for: a
 * count never reads a value. Used by one thread; must be closed.
 */
interface KeyIterator extends AutoCloseable {
    /** Moves to the next key; false at the end. */
    boolean next();

    /** The user key; only after {@link #next} returned true, as the other properties. */
    Bytes key();

    long modRevision();

    /** The encoded KeyValue. */
    Bytes kv();

    /** Appends the encoded KeyValue; returns its length. */
    default int addKv(PackedKvs kvs) {
        return kvs.append(kv());
    }

    /** Like {@link #addKv}, without value and lease. */
    default int addBareKv(PackedKvs kvs) {
        Bytes kv = kv();
        int bare = KeyValueCodec.bareLength(kv.array(), 0, kv.length(), true);
        return bare >= 0
                ? kvs.append(kv.array(), 0, bare)
                : kvs.append(KeyValueCodec.withoutValue(KeyValue.decode(kv), false));
    }

    /** Moves to the end; returns the number of keys passed. */
    default long countRest(ReadQuota quota) {
        long count = 0;
        while (next()) {
            quota.passKey();
            count++;
        }
        return count;
    }

    @Override
    void close();

    /**
     * An iterator over at most one key.
     *
     * @param kv encoded KeyValue; {@link Bytes#EMPTY}: no key
     */
    static KeyIterator of(Bytes key, Bytes kv) {
        return new KeyIterator() {
            private boolean ended = kv.isEmpty();

            @Override
            public boolean next() {
                boolean first = !ended;
                ended = true;
                return first;
            }

            @Override
            public Bytes key() {
                return key;
            }

            @Override
            public long modRevision() {
                return KeyValue.decode(kv).modRevision();
            }

            @Override
            public Bytes kv() {
                return kv;
            }

            @Override
            public void close() {}
        };
    }
}
