package io.brain.server.console;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers with as many digits as mean something. */
final class Rounded {
    private static final MathContext DIGITS = new MathContext(4);

    private Rounded() {}

    /** The nearest number with four digits; of one above, without a fraction. */
    static double of(double value) {
        return Math.abs(value) >= 1000
                ? Math.rint(value)
                : BigDecimal.valueOf(value).round(DIGITS).doubleValue();
    }
}
