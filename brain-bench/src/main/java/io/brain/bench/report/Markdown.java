package io.brain.bench.report;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Ratio;
import io.brain.bench.shape.Shape;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * A table with a row per load and server: medians of the rounds, and ratios to the first server.
 */
public final class Markdown {

    private static final double MICROS_PER_MILLI = 1e3;
    private static final double KIB_PER_MIB = 1024;

    private Markdown() {}

    /** Renders the table. */
    public static String of(Results results) {
        StringBuilder text =
                new StringBuilder(
                        "| load | server | CPU µs | ratio | per s | ratio | p50 ms | ratio | p99 ms"
                                + " | ratio | p90 / p99.9 / max ms | client µs | RSS MiB | peak MiB"
                                + " | failed |\n");
        text.append("| --- ".repeat(15)).append("|\n");
        for (Shape shape : results.shapes()) {
            for (String server : results.servers()) {
                if (!results.of(shape, server).isEmpty()) {
                    text.append(row(results, shape, server));
                }
            }
        }
        text.append("\nCPU and client: per ").append(units(results));
        text.append(". Ratios: to ").append(results.servers().get(0));
        text.append(", the median of the rounds' own [least .. most].\n");
        return text + more(results);
    }

    private static String row(Results results, Shape shape, String server) {
        boolean isBase = server.equals(results.servers().get(0));
        StringBuilder row = new StringBuilder("| ");
        row.append(shape.label()).append(" | ").append(server);
        Column column = new Column(results, shape, server, isBase, row);
        column.compared("%.1f", Measurement::serverMicros);
        column.compared("%.0f", Measurement::rate);
        column.compared("%.2f", m -> m.latency().p50() / MICROS_PER_MILLI);
        column.compared("%.2f", m -> m.latency().p99() / MICROS_PER_MILLI);
        column.add(" | %.2f", m -> m.latency().p90() / MICROS_PER_MILLI);
        column.add(" / %.2f", m -> m.latency().p999() / MICROS_PER_MILLI);
        column.add(" / %.2f", m -> m.latency().max() / MICROS_PER_MILLI);
        column.add(" | %.1f", Measurement::clientMicros);
        column.add(" | %.0f", m -> m.server().rssKib() / KIB_PER_MIB);
        column.add(" | %.0f", m -> m.server().peakKib() / KIB_PER_MIB);
        long failed = results.of(shape, server).stream().mapToLong(m -> m.failures().count()).sum();
        return row.append(" | ").append(failed).append(" |\n").toString();
    }

    private record Column(
            Results results, Shape shape, String server, boolean isBase, StringBuilder row) {

        void add(String format, ToDoubleFunction<Measurement> figure) {
            double median = results.median(shape, server, figure);
            String text = String.format(Locale.ROOT, format, median);
            row.append(Double.isNaN(median) ? text.replace("NaN", "-") : text);
        }

        void compared(String format, ToDoubleFunction<Measurement> figure) {
            add(" | " + format, figure);
            Ratio ratio = results.ratio(shape, server, figure);
            row.append(" | ").append(isBase ? "1" : ratio.text());
        }
    }

    private static String units(Results results) {
        Set<String> units = new TreeSet<>();
        results.shapes().forEach(shape -> units.add(shape.unit()));
        return String.join(", ", units);
    }

    private static String more(Results results) {
        StringBuilder text = new StringBuilder();
        for (Shape shape : results.shapes()) {
            Set<String> names = new TreeSet<>();
            for (String server : results.servers()) {
                results.of(shape, server).forEach(m -> names.addAll(m.more().keySet()));
            }
            for (String name : names) {
                text.append("- ").append(shape.label()).append(": ").append(name);
                for (String server : results.servers()) {
                    double median =
                            results.median(
                                    shape, server, m -> m.more().getOrDefault(name, Double.NaN));
                    text.append(String.format(Locale.ROOT, ", %s %.2f", server, median));
                }
                text.append('\n');
            }
        }
        return text.isEmpty() ? "" : "\n" + text;
    }
}
