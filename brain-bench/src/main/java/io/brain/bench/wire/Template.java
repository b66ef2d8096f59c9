package io.brain.bench.wire;

import com.google.protobuf.MessageLite;
import java.util.Arrays;

/**
 * A request that is encoded once; the request for another key is a copy with other digits.
 * Immutable.
 */
public final class Template {

    private final KeySpace keys;
    private final byte[] encoded;
    private final int[] keysAt;

    /**
     * Creates a template from a request for key number 0, which may occur several times.
     *
     * @throws IllegalArgumentException if it does not occur
     */
    public Template(KeySpace keys, MessageLite request) {
        this.keys = keys;
        this.encoded = request.toByteArray();
        this.keysAt = find(encoded, keys.key(0));
        if (keysAt.length == 0) {
            throw new IllegalArgumentException("the request does not contain key number 0");
        }
    }

    /** The request for a key. */
    public byte[] of(long number) {
        return of(number, 0);
    }

    /** The request after {@code free} unused bytes. */
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
