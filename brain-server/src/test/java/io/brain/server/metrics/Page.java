package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict parser of Prometheus' text format: malformed input fails the test. */
public final class Page {
    private static final Pattern SAMPLE =
            Pattern.compile(
                    "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (-?[0-9.eE+-]+|NaN|[+-]Inf)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\n\"])*)\",?");
    private static final List<String> TYPES = List.of("counter", "gauge", "histogram", "summary");

    private final Map<String, String> types = new LinkedHashMap<>();
    private final Set<String> helped = new HashSet<>();
    private final Map<String, Double> samples = new LinkedHashMap<>();

    /** Counts by limit of each histogram, by name without suffix. */
    private final Map<String, TreeMap<Double, Double>> buckets = new HashMap<>();

    private Page() {}

    public static Page read(String text) {
        assertThat(text).endsWith("\n");
        Page page = new Page();
        String family = "";
        for (String line : text.split("\n", -1)) {
            if (line.startsWith("# HELP ")) {
                String name = line.split(" ", 4)[2];
                assertThat(page.helped.add(name)).as("HELP once: %s", name).isTrue();
            } else if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ", -1);
                family = words[2];
                assertThat(words[3]).isIn(TYPES);
                assertThat(page.types.put(family, words[3])).as("TYPE once: %s", line).isNull();
            } else if (!line.isEmpty()) {
                page.sample(line, family);
            }
        }
        page.checkHistograms();
        return page;
    }

    /** The value of a series, named as on the page. */
    public double value(String series) {
        assertThat(samples).containsKey(series);
        return samples.get(series);
    }

    /**
     * True if a series has this name and at least these labels.
     *
     * @param labels as name="value"
     */
    public boolean has(String name, List<String> labels) {
        return samples.keySet().stream()
                .filter(series -> series.startsWith(name + "{") || series.equals(name))
                .anyMatch(series -> labels.stream().allMatch(label -> isIn(series, label)));
    }

    private static boolean isIn(String series, String label) {
        return series.contains("{" + label) || series.contains("," + label);
    }

    public Set<String> names() {
        return types.keySet();
    }

    public Set<String> series() {
        return samples.keySet();
    }

    public String type(String name) {
        return types.get(name);
    }

    private void sample(String line, String family) {
        Matcher matcher = SAMPLE.matcher(line);
        assertThat(matcher.matches()).as(line).isTrue();
        String name = matcher.group(1);
        boolean histogram = "histogram".equals(types.get(family));
        boolean summary = "summary".equals(types.get(family));
        String ending = name.startsWith(family) ? name.substring(family.length()) : "another";
        assertThat(ending)
                .as("%s under %s", line, family)
                .isIn(
                        histogram
                                ? List.of("_bucket", "_sum", "_count")
                                : summary ? List.of("", "_sum", "_count") : List.of(""));
        double value = number(matcher.group(3));
        String series = line.substring(0, line.lastIndexOf(' '));
        assertThat(samples.put(series, value)).as("once: %s", series).isNull();
        Map<String, String> labels = labels(matcher.group(2));
        if (ending.equals("_bucket")) {
            String limit = labels.remove("le");
            buckets.computeIfAbsent(family + labels, key -> new TreeMap<>())
                    .put(number(limit), value);
        } else if (histogram && ending.equals("_count")) {
            buckets.computeIfAbsent(family + labels, key -> new TreeMap<>()).put(Double.NaN, value);
        }
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        if (text != null) {
            Matcher matcher = LABEL.matcher(text);
            int end = 0;
            while (matcher.find() && matcher.start() == end) {
                end = matcher.end();
                assertThat(labels.put(matcher.group(1), matcher.group(2))).as(text).isNull();
            }
            assertThat(end).as(text).isEqualTo(text.length());
        }
        return labels;
    }

    /** Checks that bucket counts do not decrease, and that the last one equals the count. */
    private void checkHistograms() {
        buckets.forEach(
                (series, counts) -> {
                    // NaN, the key of the count, sorts after all numbers.
                    List<Double> values = new ArrayList<>(counts.values());
                    assertThat(values).as(series).isSorted().hasSizeGreaterThan(2);
                    assertThat(counts).as(series).containsKey(Double.POSITIVE_INFINITY);
                    assertThat(counts.get(Double.POSITIVE_INFINITY))
                            .as(series)
                            .isEqualTo(counts.get(Double.NaN));
                });
    }
}
