package io.brain.backend.read;

import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;

/**
 * A walk over the keys that exist at one revision, ascending. What is not asked for is not fetched:
 * a count never touches a value. Used by one thread; must be closed.
 */
interface KeyIterator extends AutoCloseable {
    /** No keys. */
    KeyIterator NONE =
            new KeyIterator() {
                @Override
                public boolean next() {
                    return false;
                }

                @Override
                public Bytes key() {
                    throw new IllegalStateException("not on a key");
                }

                @Override
                public long modRevision() {
                    throw new IllegalStateException("not on a key");
                }

                @Override
                public Bytes kv() {
                    throw new IllegalStateException("not on a key");
                }

                @Override
                public void close() {}
            };

    /** Steps to the next key; false if there is none. */
    boolean next();

    /** The user key; only after a step that was true. */
    Bytes key();

    /** The revision of the key's last change. */
    long modRevision();

    /** The encoded KeyValue. */
    Bytes kv();

    /** Adds the encoded KeyValue to an answer; its length. */
    default int addKv(PackedKvs kvs) {
        return kvs.append(kv());
    }

    /** Like {@link #addKv}, without value and lease. */
    default int addBareKv(PackedKvs kvs) {
        return kvs.append(KeyValueCodec.withoutValue(KeyValue.decode(kv()), false));
    }

    /** Goes on to the end; how many keys there were. */
    default long countRest(ReadQuota meter) {
        long count = 0;
        while (next()) {
            meter.passKey();
            count++;
        }
        return count;
    }

    @Override
    void close();
}
