package io.brain.backend.auth;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;

/**
 * What a role may do with keys.
 *
 * @param type as in etcd: 0 read, 1 write, 2 both; others are stored and permit nothing
 * @param end as in etcd: empty: the key alone; one zero byte: no end
 */
public record Permission(int type, Bytes key, Bytes end) {
    public static final int READ = 0;
    public static final int WRITE = 1;
    public static final int READ_WRITE = 2;

    private static final Bytes NO_END = Bytes.wrap(new byte[1]);

    /** That of the role root. */
    static final Permission ALL = new Permission(READ_WRITE, Bytes.EMPTY, NO_END);

    boolean reads() {
        return type == READ || type == READ_WRITE;
    }

    boolean writes() {
        return type == WRITE || type == READ_WRITE;
    }

    boolean sameKeys(Bytes otherKey, Bytes otherEnd) {
        return key.equals(otherKey) && end.equals(otherEnd);
    }

    KeySpan span() {
        return KeySpan.of(key, end);
    }

    /** True if a role may have it: a key, and an end above it if there is one. */
    boolean isValid() {
        return !key.isEmpty() && !span().isEmpty();
    }
}
