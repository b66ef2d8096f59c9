package io.brain.bench.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Numbered keys of one length, as Kubernetes names objects: {@code
 * /registry/pods/ns-00012/pod-000000123}. With one namespace their order is the order of their
 * numbers.
 *
 * @param prefix of all of them
 * @param namespaces number n is in namespace n modulo these
 */
public record KeySpace(String prefix, int namespaces) {

    private static final String SHAPE = "ns-00000/pod-000000000";
    private static final int NAMESPACE_AT = 3;
    private static final int NAMESPACE_DIGITS = 5;
    private static final int NUMBER_AT = 13;
    private static final int NUMBER_DIGITS = 9;

    /** Refuses what has no room for its numbers. */
    public KeySpace {
        if (namespaces < 1 || namespaces > 100_000) {
            throw new IllegalArgumentException(namespaces + " namespaces");
        }
    }

    /** Bytes of each key. */
    public int length() {
        return prefix.length() + SHAPE.length();
    }

    /** The key of a number of at most nine digits. */
    public byte[] key(long number) {
        byte[] key = (prefix + SHAPE).getBytes(StandardCharsets.US_ASCII);
        write(number, key, 0);
        return key;
    }

    /** The end of a range of all of them. */
    public byte[] end() {
        return after(prefix.getBytes(StandardCharsets.US_ASCII));
    }

    /** The prefix of all keys of a namespace. */
    public byte[] namespace(int namespace) {
        return Arrays.copyOf(key(namespace), prefix.length() + NAMESPACE_AT + NAMESPACE_DIGITS + 1);
    }

    /** The end of a range of all keys with a prefix, which ends with an ASCII character. */
    public static byte[] after(byte[] prefix) {
        byte[] end = prefix.clone();
        end[end.length - 1]++;
        return end;
    }

    /** Makes some key, which begins at an index, the key of a number. */
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
