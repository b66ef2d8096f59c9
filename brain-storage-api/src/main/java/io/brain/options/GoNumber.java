package io.brain.options;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Whole numbers of Go's flags: {@code 15}, {@code 0xf}, {@code 0o17}, {@code 017}, {@code 1_000}.
 */
final class GoNumber {
    /** Form of a number, without groups; upper and lower case are equal. */
    static final String FORM =
            "[+-]?(?:0x(?:_?[0-9a-f])+|0b(?:_?[01])+|0o?(?:_?[0-7])+|0|[1-9](?:_?\\d)*)";

    private static final Pattern NUMBER = Pattern.compile(FORM, Pattern.CASE_INSENSITIVE);

    private GoNumber() {}

    /**
     * Parses a number.
     *
     * @throws IllegalArgumentException if it is malformed, or does not fit in 64 bits
     */
    static long parse(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("parse error");
        }
        String digits = text.replace("_", "").toLowerCase(Locale.ROOT);
        try {
            return digits.matches("[+-]?0b.*")
                    ? Long.parseLong(digits.replaceFirst("0b", ""), 2)
                    : Long.decode(digits.replaceFirst("0o", "0"));
        } catch (NumberFormatException tooLarge) {
            throw new IllegalArgumentException("parse error", tooLarge);
        }
    }
}
