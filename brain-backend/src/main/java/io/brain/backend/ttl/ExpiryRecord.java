package io.brain.backend.ttl;

import io.brain.backend.store.KeyIndex;
import io.brain.backend.wire.ByteReader;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import java.time.Duration;

/**
 * A stored expiry record.
 *
 * @param revision mod revision of the version that may expire
 * @param written when it was written, in milliseconds since 1970, by the leader's clock
 */
public record ExpiryRecord(Bytes key, long revision, long written) {
    /** Reads the record at a cursor. */
    static ExpiryRecord at(Cursor cursor, KeyIndex index) {
        Bytes at = cursor.key();
        return new ExpiryRecord(index.userKey(at), index.number(at), written(cursor.value()));
    }

    /** The time in the value of a record. */
    public static long written(Bytes value) {
        return new ByteReader(value, 0).getLong();
    }

    /** Time of expiry, in milliseconds since 1970. */
    long deadline(Duration ttl) {
        return written + ttl.toMillis();
    }
}
