package io.brain.bench.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Numbered keys of equal length, like those of Kubernetes: {@code
 * /registry/pods/ns-00012/pod-000000123}. With one namespace, key order is numeric order.
 *
 * @param prefix prefix of all keys
 * @param namespaces key n is in namespace n modulo this number
 */
public record KeySpace(String prefix, int namespaces) {

    private static final String SHAPE = "ns-00000/pod-000000000";
    private static final int NAMESPACE_AT = 3;
    private static final int NAMESPACE_DIGITS = 5;
    private static final int NUMBER_AT = 13;
    private static final int NUMBER_DIGITS = 9;

    /** Rejects an invalid number of namespaces. */
    public KeySpace {
        if (namespaces < 1 || namespaces > 100_000) {
            throw new IllegalArgumentException(namespaces + " namespaces");
        }
    }

    /** Length of each key in bytes. */
    public int length() {
        return prefix.length() + SHAPE.length();
    }

    /** Key of a number of at most nine digits. */
    public byte[] key(long number) {
        byte[] key = (prefix + SHAPE).getBytes(StandardCharsets.US_ASCII);
        write(number, key, 0);
        return key;
    }

    /** End of the range of all keys. */
    public byte[] end() {
        return after(prefix.getBytes(StandardCharsets.US_ASCII));
    }

    /** Prefix of the keys of a namespace. */
    public byte[] namespace(int namespace) {
        return Arrays.copyOf(key(namespace), prefix.length() + NAMESPACE_AT + NAMESPACE_DIGITS + 1);
    }

    /** End of the range of a prefix, which ends with an ASCII character. */
    public static byte[] after(byte[] prefix) {
        byte[] end = prefix.clone();
        end[end.length - 1]++;
        return end;
    }

    /** Overwrites the key at {@code at} with the key of a number. */
    void write(long number, byte[] bytes, int at) {
        int digits = at + prefix.length();
        digits(number % namespaces, bytes, digits + NAMESPACE_AT, NAMESPACE_DIGITS);
        digits(number, bytes, digits + NUMBER_AT, NUMBER_DIGITS);
    }

    private static void digits(long number, byte[] bytes, int at, int count) {
        long left = number;
        for (int i = at + count - 1; i >= at; i--) {
            bytes[i] = (byte) ('0' + left % 10);
            left /= 10;
        }
        if (left != 0) {
            throw new IllegalArgumentException(number + " has more than " + count + " digits");
        }
    }
}
