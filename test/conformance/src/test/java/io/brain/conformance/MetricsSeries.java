package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of metrics by series: a name and its labels in order, as {@code name{a="1",b="2"}}. A
 * histogram is one series, whose value is its count. The value of a label that is an id is masked.
 *
 * @param shapes of each series its type and the limits of its buckets
 * @param values of each series its value
 */
record MetricsSeries(Map<String, String> shapes, Map<String, Double> values) {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z0-9_]+)(?:\\{(.*)\\})? ([^ ]+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]+)=\"([^\"]*)\"");

    static MetricsSeries read(String page) {
        Map<String, String> types = new TreeMap<>();
        Map<String, TreeSet<Double>> limits = new TreeMap<>();
        Map<String, Double> values = new TreeMap<>();
        String family = "";
        for (String line : page.split("\n", -1)) {
            if (line.startsWith("# TYPE ")) {
                family = line.split(" ", -1)[2];
                types.put(family, line.split(" ", -1)[3]);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                double value = Double.parseDouble(sample.group(3).replace("Inf", "Infinity"));
                List<String> labels = new ArrayList<>();
                Double limit = labels(sample.group(2), labels);
                String series = family + labels.toString().replace('[', '{').replace(']', '}');
                limits.computeIfAbsent(series, none -> new TreeSet<>());
                if (limit != null) {
                    limits.get(series).add(limit);
                } else if (!sample.group(1).equals(family + "_sum")) {
                    values.put(series, value);
                }
            }
        }
        Map<String, String> shapes = new TreeMap<>();
        limits.forEach(
                (series, all) ->
                        shapes.put(
                                series, types.get(series.substring(0, series.indexOf('{'))) + all));
        return new MetricsSeries(shapes, values);
    }

    /** Adds the labels but a bucket's limit or a quantile, which it returns; null if none. */
    private static Double labels(String text, List<String> labels) {
        Double limit = null;
        Matcher label = LABEL.matcher(text == null ? "" : text);
        while (label.find()) {
            String name = label.group(1);
            if (name.equals("le") || name.equals("quantile")) {
                limit = Double.valueOf(label.group(2).replace("Inf", "Infinity"));
            } else {
                String value = name.equals("server_id") ? "ID" : label.group(2);
                labels.add(name + "=\"" + value + "\"");
            }
        }
        labels.sort(null);
        return limit;
    }

    /** How much a series has grown since {@code before}, where it may not have been yet. */
    double since(MetricsSeries before, String series) {
        assertThat(values).containsKey(series);
        return values.get(series) - before.values.getOrDefault(series, 0.0);
    }
}
