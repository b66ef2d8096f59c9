package io.brain.storage;

import java.util.Objects;

/**
 * The keys from {@code start} (included) to {@code end} (excluded).
 *
 * @param start first key that may be in the range; empty means "from the first key"
 * @param end first key after the range; null means "to the last key". A range whose end is not
 *     greater than its start is empty.
 */
public record KeyRange(Bytes start, Bytes end) {
    /** Every key. */
    public static final KeyRange ALL = new KeyRange(Bytes.EMPTY, null);

    /** Checks that {@code start} is not null. */
    public KeyRange {
        Objects.requireNonNull(start, "start");
    }

    /** Every key that begins with {@code prefix}. */
    public static KeyRange prefix(Bytes prefix) {
        return new KeyRange(prefix, prefix.prefixEnd());
    }

    /** True if {@code key} lies in the range. */
    public boolean contains(Bytes key) {
        return key.compareTo(start) >= 0 && (end == null || key.compareTo(end) < 0);
    }

    /** True if no key can lie in the range. */
    public boolean isEmpty() {
        return end != null && end.compareTo(start) <= 0;
    }
}
