package io.brain.options;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go writes them: {@code 10m}, {@code 1h30m}, {@code 1.5s}, {@code 100ms}. */
public final class GoDuration {
    private static final Pattern PART =
            Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final Map<String, Long> NANOS =
            Map.of(
                    "ns", 1L,
                    "us", 1_000L,
                    "µs", 1_000L,
                    "μs", 1_000L,
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L);

    private GoDuration() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if it is not one, or does not fit in 64 bits of nanoseconds
     */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        boolean negative = text.startsWith("-");
        String parts = negative || text.startsWith("+") ? text.substring(1) : text;
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(parts);
        int at = 0;
        while (at < parts.length() && part.find(at) && part.start() == at) {
            long unit = NANOS.get(part.group(2));
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit)));
            at = part.end();
        }
        if (parts.isEmpty() || at < parts.length()) {
            throw new IllegalArgumentException("parse error");
        }
        try {
            long whole = nanos.toBigInteger().longValueExact();
            return Duration.ofNanos(negative ? -whole : whole);
        } catch (ArithmeticException tooLong) {
            throw new IllegalArgumentException("parse error", tooLong);
        }
    }
}
