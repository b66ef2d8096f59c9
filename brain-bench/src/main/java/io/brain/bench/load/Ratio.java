package io.brain.bench.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Comparison of two servers: median, minimum and maximum of the ratios of each round. The figures
 * of a round are measured directly after each other, so that longer disturbances affect both.
 */
public record Ratio(double median, double least, double most) {

    /**
     * Compares figures of the same rounds, in order. Pairs without two positive figures are
     * skipped.
     *
     * @return all NaN without pairs
     */
    public static Ratio of(List<Double> figures, List<Double> bases) {
        if (figures.size() != bases.size()) {
            throw new IllegalArgumentException(figures.size() + " against " + bases.size());
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < figures.size(); i++) {
            if (figures.get(i) > 0 && bases.get(i) > 0) {
                ratios.add(figures.get(i) / bases.get(i));
            }
        }
        return ratios.isEmpty()
                ? new Ratio(Double.NaN, Double.NaN, Double.NaN)
                : new Ratio(median(ratios), Collections.min(ratios), Collections.max(ratios));
    }

    /** The median; NaN without values. */
    public static double median(List<Double> values) {
        List<Double> sorted = values.stream().filter(v -> !v.isNaN()).sorted().toList();
        int size = sorted.size();
        return size == 0 ? Double.NaN : (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }

    /** Text such as {@code 0.31 [0.29 .. 0.34]}. */
    public String text() {
        return Double.isNaN(median)
                ? "-"
                : String.format(Locale.ROOT, "%.2f [%.2f .. %.2f]", median, least, most);
    }
}
