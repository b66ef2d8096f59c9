package io.brain.server.metrics;

/**
 * Writes metrics in Prometheus' text format. By hand, because client libraries insist on names that
 * end otherwise than some of etcd's do. Used by one thread.
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
     * A sample.
     *
     * @param labels names and values by turns
     */
    public MetricsText value(long value, String... labels) {
        return sample(Long.toString(value), labels);
    }

    /**
     * A sample.
     *
     * @param labels names and values by turns
     */
    public MetricsText value(double value, String... labels) {
        return sample(Double.toString(value), labels);
    }

    /** Everything written so far. */
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

    private MetricsText sample(String value, String... labels) {
        text.append(name);
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
