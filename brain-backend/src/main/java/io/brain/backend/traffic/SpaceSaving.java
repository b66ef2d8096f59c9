package io.brain.backend.traffic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The Space-Saving algorithm: finds the most frequent of more keys than it has counters. A new key
 * replaces the one with the lowest count, and inherits the count, so no count is too low. Not
 * thread-safe.
 */
final class SpaceSaving<K> {
    private final Map<K, Counter> counters = new HashMap<>();
    private final int keysMax;

    SpaceSaving(int keysMax) {
        this.keysMax = keysMax;
    }

    /** Adds to the count of {@code key}. */
    void add(K key, double times) {
        Counter counter = counters.get(key);
        if (counter == null) {
            counter = new Counter(counters.size() < keysMax ? 0 : removeLeast());
            counters.put(key, counter);
        }
        counter.count += times;
    }

    /** Multiplies all counts by {@code factor}; drops those below {@code least}. */
    void fade(double factor, double least) {
        counters.values()
                .removeIf(
                        counter -> {
                            counter.count *= factor;
                            counter.error *= factor;
                            return counter.count < least;
                        });
    }

    /** All keys that have a counter, greatest count first. */
    List<Counted<K>> all() {
        List<Counted<K>> all = new ArrayList<>(counters.size());
        counters.forEach((key, c) -> all.add(new Counted<>(key, c.count, c.error)));
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
     * A key's count.
     *
     * @param error greatest overestimate
     */
    record Counted<K>(K key, double count, double error) {}

    private static final class Counter {
        private double count;
        private double error;

        private Counter(double inherited) {
            count = inherited;
            error = inherited;
        }
    }
}
