package io.brain.backend.read;

import io.brain.backend.key.VersionSuffix;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A version's key, in an array that is used again for the next one. For one thread. */
final class VersionKey {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int FIRST_BYTES = 128;

    private byte[] array = new byte[FIRST_BYTES];
    private int length;

    /** Takes the key of the cursor's current pair. */
    void read(Cursor cursor) {
        length = cursor.copyKey(array, 0);
        if (length > array.length) {
            array = new byte[2 * length];
            length = cursor.copyKey(array, 0);
        }
    }

    void copy(VersionKey other) {
        if (array.length < other.length) {
            array = new byte[other.array.length];
        }
        System.arraycopy(other.array, 0, array, 0, other.length);
        length = other.length;
    }

    /** The version's revision. */
    long revision() {
        return VersionSuffix.revision(suffix());
    }

    /** True if the version is a tombstone. */
    boolean isTombstone() {
        return VersionSuffix.isTombstone(suffix());
    }

    boolean sameUserKey(VersionKey other) {
        int user = length - Long.BYTES;
        return other.length == length && Arrays.equals(array, 0, user, other.array, 0, user);
    }

    /** A copy. */
    Bytes bytes() {
        return Bytes.copyOf(array, 0, length);
    }

    private long suffix() {
        return (long) LONG.get(array, length - Long.BYTES);
    }
}
