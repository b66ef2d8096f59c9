package io.brain.admin.console;

import java.math.BigDecimal;
import java.math.MathContext;

/** Rounds numbers to four significant digits. */
final class Rounded {
    private static final MathContext DIGITS = new MathContext(4);

    private Rounded() {}

    /** Rounds to four significant digits; values of 1000 and above to an integer. */
    static double of(double value) {
        return Math.abs(value) >= 1000
                ? Math.rint(value)
                : BigDecimal.valueOf(value).round(DIGITS).doubleValue();
    }
}
