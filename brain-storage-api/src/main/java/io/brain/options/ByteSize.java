package io.brain.options;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes: {@code 1048576}, {@code 512MiB}, {@code 8GiB}. */
final class ByteSize {
    private static final Pattern FORM =
            Pattern.compile(
                    "(" + GoNumber.FORM + ")\\s*(B|KiB|MiB|GiB|TiB)?", Pattern.CASE_INSENSITIVE);
    private static final List<String> UNITS = List.of("b", "kib", "mib", "gib", "tib");
    private static final int UNIT_BITS = 10;

    private ByteSize() {}

    /**
     * Parses a number of bytes, which may be negative.
     *
     * @throws IllegalArgumentException if it is malformed, or does not fit in 64 bits
     */
    static long parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "want bytes, or a whole number with KiB, MiB, GiB or TiB");
        }
        String unit = form.group(2) == null ? "b" : form.group(2).toLowerCase(Locale.ROOT);
        try {
            long number = GoNumber.parse(form.group(1));
            return Math.multiplyExact(number, 1L << (UNIT_BITS * UNITS.indexOf(unit)));
        } catch (ArithmeticException | IllegalArgumentException tooLarge) {
            throw new IllegalArgumentException("too large", tooLarge);
        }
    }
}
