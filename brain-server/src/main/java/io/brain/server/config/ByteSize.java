package io.brain.server.config;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes: {@code 1048576}, {@code 512MiB}, {@code 8GiB}. */
final class ByteSize {
    private static final Pattern FORM = Pattern.compile("([+-]?\\d+)(B|KiB|MiB|GiB|TiB)?");
    private static final Map<String, Integer> SHIFTS =
            Map.of("B", 0, "KiB", 10, "MiB", 20, "GiB", 30, "TiB", 40);

    private ByteSize() {}

    /**
     * Reads a number of bytes; it may be negative.
     *
     * @throws IllegalArgumentException if it is none, or does not fit in 64 bits
     */
    static long parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "want bytes, or a whole number with KiB, MiB, GiB or TiB");
        }
        int shift = form.group(2) == null ? 0 : SHIFTS.get(form.group(2));
        try {
            return Math.multiplyExact(Long.parseLong(form.group(1)), 1L << shift);
        } catch (ArithmeticException | NumberFormatException tooLarge) {
            throw new IllegalArgumentException("too large", tooLarge);
        }
    }
}
