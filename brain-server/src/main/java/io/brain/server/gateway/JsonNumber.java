package io.brain.server.gateway;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Integers in JSON, in any notation of a number. */
final class JsonNumber {
    /**
     * What follows a number inside a string is ignored, as in etcd, unless it is part of a word.
     */
    private static final Pattern FORM =
            Pattern.compile(
                    "(-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?)(?:[eE]([+-]?[0-9]*))?(?![-+._a-zA-Z0-9])");

    /** Of the largest unsigned number; bounds the cost of long and of large numbers. */
    private static final int DIGITS_MAX = 20;

    private JsonNumber() {}

    /**
     * Parses an integer.
     *
     * @return null if the text is none, or out of range
     */
    static BigInteger parse(String text, int bits, boolean signed) {
        Matcher matcher = FORM.matcher(text);
        if (text.isEmpty() || !matcher.lookingAt()) {
            return null;
        }
        String number = matcher.group(1);
        boolean negative = number.startsWith("-");
        int point = number.indexOf('.');
        String digits = number.replaceAll("[-.]", "");
        int start = 0;
        while (start < digits.length() && digits.charAt(start) == '0') {
            start++;
        }
        int end = digits.length();
        while (end > start && digits.charAt(end - 1) == '0') {
            end--;
        }
        if (start == end) {
            return BigInteger.ZERO;
        }
        try {
            String exponent = matcher.group(2);
            long power = exponent == null || exponent.isEmpty() ? 0 : Integer.parseInt(exponent);
            power += digits.length() - end; // zeros that were cut off
            power -= point < 0 ? 0 : number.length() - point - 1;
            if (power < 0 || end - start + power > DIGITS_MAX) {
                return null;
            }
            BigInteger value = new BigInteger(digits.substring(start, end));
            value = value.multiply(BigInteger.TEN.pow((int) power));
            return inRange(negative ? value.negate() : value, bits, signed);
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    private static BigInteger inRange(BigInteger value, int bits, boolean signed) {
        boolean fits =
                signed
                        ? value.bitLength() < bits
                        : value.signum() >= 0 && value.bitLength() <= bits;
        return fits ? value : null;
    }
}
