package io.brain.server.gateway;

import java.math.BigDecimal;
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

    /** Of the largest unsigned number; also bounds the cost of large exponents. */
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
        BigDecimal digits = new BigDecimal(matcher.group(1)).stripTrailingZeros();
        if (digits.signum() == 0) {
            return BigInteger.ZERO;
        }
        try {
            String exponent = matcher.group(2);
            int power = exponent == null || exponent.isEmpty() ? 0 : Integer.parseInt(exponent);
            long scale = (long) digits.scale() - power;
            if (scale > 0 || digits.precision() - scale > DIGITS_MAX) {
                return null;
            }
            return inRange(digits.scaleByPowerOfTen(power).toBigIntegerExact(), bits, signed);
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
