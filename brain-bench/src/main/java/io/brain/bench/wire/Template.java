package io.brain.bench.wire;

import com.google.protobuf.MessageLite;
import java.util.Arrays;

/**
 * A request encoded once, for any key of a key space: a copy and a few digits make the next one.
 * Immutable.
 */
public final class Template {

    private final KeySpace keys;
    private final byte[] encoded;
    private final int[] keysAt;

    /**
     * Of a request for the key of number 0, which may stand in it several times.
     *
     * @throws IllegalArgumentException if it does not stand in it
     */
    public Template(KeySpace keys, MessageLite request) {
        this.keys = keys;
        this.encoded = request.toByteArray();
        this.keysAt = find(encoded, keys.key(0));
        if (keysAt.length == 0) {
            throw new IllegalArgumentException("the request does not hold the key of number 0");
        }
    }

    /** The request for a key. */
    public byte[] of(long number) {
        return of(number, 0);
    }

    /** The same behind so many free bytes. */
    byte[] of(long number, int free) {
        byte[] request = new byte[free + encoded.length];
        System.arraycopy(encoded, 0, request, free, encoded.length);
        for (int at : keysAt) {
            keys.write(number, request, free + at);
        }
        return request;
    }

    private static int[] find(byte[] bytes, byte[] wanted) {
        int[] found = new int[4];
        int count = 0;
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                found[count++] = i;
            }
        }
        return Arrays.copyOf(found, count);
    }
}
