package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.Objects;

/**
 * The keys that a request names, in etcd's convention for {@code key} and {@code range_end}.
 *
 * @param key the key, or the first key of a range
 * @param end the first key behind the range; null means "every key from {@code key} on"; for a
 *     single key it is the key's successor
 * @param single true if the request named one key
 */
public record KeySpan(Bytes key, Bytes end, boolean single) {
    private static final Bytes ZERO = Bytes.wrap(new byte[1]);

    /** Every key. */
    public static final KeySpan ALL = new KeySpan(Bytes.EMPTY, null, false);

    /** Checks that the key is not null. */
    public KeySpan {
        Objects.requireNonNull(key, "key");
    }

    /** One key. */
    public static KeySpan of(Bytes key) {
        return new KeySpan(key, key.successor(), true);
    }

    /**
     * As etcd reads it: an empty {@code rangeEnd} means one key, one zero byte means "from key on",
     * anything else is the range's end. A range may turn out empty.
     */
    public static KeySpan of(Bytes key, Bytes rangeEnd) {
        if (rangeEnd.isEmpty()) {
            return of(key);
        }
        return new KeySpan(key, rangeEnd.equals(ZERO) ? null : rangeEnd, false);
    }

    /** True if the span covers {@code candidate}. */
    public boolean contains(Bytes candidate) {
        if (single) {
            return candidate.equals(key);
        }
        return candidate.compareTo(key) >= 0 && (end == null || candidate.compareTo(end) < 0);
    }

    /** What it takes of the heap, roughly: the bytes of its bounds. */
    public int bytes() {
        return key.length() + (end == null ? 0 : end.length());
    }

    /** True if no key can be in the span. */
    public boolean isEmpty() {
        return end != null && end.compareTo(key) <= 0;
    }
}
