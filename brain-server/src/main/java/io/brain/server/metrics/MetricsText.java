package io.brain.server.metrics;

import java.math.BigDecimal;
import java.util.Arrays;

/**
 * Writes Prometheus' text format. Client libraries enforce name suffixes that some etcd metrics do
 * not have. Single-threaded.
 */
public final class MetricsText {
    private final StringBuilder text = new StringBuilder(1 << 14);
    private String name = "";

    /** Begins a counter; its samples follow. */
    public MetricsText counter(String newName, String help) {
        return begin(newName, "counter", help);
    }

    /** Begins a gauge; its samples follow. */
    public MetricsText gauge(String newName, String help) {
        return begin(newName, "gauge", help);
    }

    /**
     * Writes a sample.
     *
     * @param labels alternating names and values
     */
    public MetricsText value(long value, String... labels) {
        return line("", Long.toString(value), labels);
    }

    /**
     * Writes a sample.
     *
     * @param labels alternating names and values
     */
    public MetricsText value(double value, String... labels) {
        return line("", number(value), labels);
    }

    /** Begins a histogram; its buckets follow. */
    public MetricsText histogram(String newName, String help) {
        return begin(newName, "histogram", help);
    }

    /**
     * A bucket of a histogram.
     *
     * @param count values up to {@code limit}
     */
    MetricsText bucket(long count, String limit, String... labels) {
        String[] all = Arrays.copyOf(labels, labels.length + 2);
        all[labels.length] = "le";
        all[labels.length + 1] = limit;
        return line("_bucket", Long.toString(count), all);
    }

    /** Writes sum and count of a histogram. */
    MetricsText total(double sum, long count, String... labels) {
        line("_sum", number(sum), labels);
        return line("_count", Long.toString(count), labels);
    }

    /** Formats a number as etcd does, which matters for label values. */
    static String number(double value) {
        boolean small = value != 0 && Math.abs(value) < 1e-4;
        if (value == Math.rint(value) && Math.abs(value) < 1e6) {
            return Long.toString((long) value);
        }
        if (!Double.isFinite(value) || (!small && Math.abs(value) < 1e6)) {
            return value > Double.MAX_VALUE ? "+Inf" : Double.toString(value);
        }
        BigDecimal digits = BigDecimal.valueOf(value).stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        String mantissa = digits.movePointLeft(exponent).toPlainString();
        String sign = exponent < 0 ? "e-" : "e+";
        return mantissa + sign + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }

    /** The text written so far. */
    @Override
    public String toString() {
        return text.toString();
    }

    private MetricsText begin(String newName, String type, String help) {
        name = newName;
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    private MetricsText line(String suffix, String value, String... labels) {
        text.append(name).append(suffix);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            appendEscaped(labels[i + 1]);
            text.append('"');
        }
        text.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
        return this;
    }

    private void appendEscaped(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '"' -> text.append("\\\"");
                case '\n' -> text.append("\\n");
                default -> text.append(c);
            }
        }
    }
}
