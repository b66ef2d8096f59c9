package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.Objects;

/**
 * The keys of a request, from etcd's {@code key} and {@code range_end}.
 *
 * @param key the key, or the start of a range
 * @param end the exclusive end of the range; null: no end; for a single key its successor
 * @param single true for a single key
 */
public record KeySpan(Bytes key, Bytes end, boolean single) {
    private static final Bytes ZERO = Bytes.wrap(new byte[1]);

    /** Every key. */
    public static final KeySpan ALL = new KeySpan(Bytes.EMPTY, null, false);

    /** Checks the key. */
    public KeySpan {
        Objects.requireNonNull(key, "key");
    }

    /** A single key. */
    public static KeySpan of(Bytes key) {
        return new KeySpan(key, key.successor(), true);
    }

    /**
     * The span of a request, as in etcd: an empty {@code rangeEnd} means a single key, one zero
     * byte means no end. May be empty.
     */
    public static KeySpan of(Bytes key, Bytes rangeEnd) {
        if (rangeEnd.isEmpty()) {
            return of(key);
        }
        return new KeySpan(key, rangeEnd.equals(ZERO) ? null : rangeEnd, false);
    }

    /** The keys that begin with a prefix; all if it is empty. */
    public static KeySpan prefix(Bytes prefix) {
        return new KeySpan(prefix, prefix.prefixEnd(), false);
    }

    public boolean contains(Bytes candidate) {
        if (single) {
            return candidate.equals(key);
        }
        return candidate.compareTo(key) >= 0 && (end == null || candidate.compareTo(end) < 0);
    }

    /** Bytes of its bounds. */
    public int bytes() {
        return key.length() + (end == null ? 0 : end.length());
    }

    /** True if the span cannot contain a key. */
    public boolean isEmpty() {
        return end != null && end.compareTo(key) <= 0;
    }
}
