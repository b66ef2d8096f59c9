package io.brain.backend.traffic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what comes most often among more kinds than there is room for, by the method of that name:
 * a newcomer takes the place of the least one, and its count with it, so that none is counted too
 * low while it is here. Not thread-safe.
 */
final class SpaceSaving<K> {
    private final Map<K, Counter> counters = new HashMap<>();
    private final int kindsMax;

    /** Nothing counted, in room for so many kinds. */
    SpaceSaving(int kindsMax) {
        this.kindsMax = kindsMax;
    }

    /** Counts {@code kind}. */
    void add(K kind, double times) {
        Counter counter = counters.get(kind);
        if (counter == null) {
            counter = new Counter(counters.size() < kindsMax ? 0 : removeLeast());
            counters.put(kind, counter);
        }
        counter.count += times;
    }

    /** Lets all that was counted weigh less; what weighs nearly nothing is forgotten. */
    void fade(double factor, double least) {
        counters.values()
                .removeIf(
                        counter -> {
                            counter.count *= factor;
                            counter.error *= factor;
                            return counter.count < least;
                        });
    }

    /** All kinds that have a counter, the greatest first. */
    List<Counted<K>> all() {
        List<Counted<K>> all = new ArrayList<>(counters.size());
        counters.forEach((kind, c) -> all.add(new Counted<>(kind, c.count, c.error)));
        all.sort(Comparator.<Counted<K>>comparingDouble(Counted::count).reversed());
        return all;
    }

    private double removeLeast() {
        K least = null;
        double count = Double.POSITIVE_INFINITY;
        for (Map.Entry<K, Counter> entry : counters.entrySet()) {
            if (entry.getValue().count < count) {
                least = entry.getKey();
                count = entry.getValue().count;
            }
        }
        counters.remove(least);
        return count;
    }

    /**
     * How often a kind came.
     *
     * @param error by how much that may be too high
     */
    record Counted<K>(K kind, double count, double error) {}

    private static final class Counter {
        private double count;
        private double error;

        private Counter(double inherited) {
            count = inherited;
            error = inherited;
        }
    }
}
