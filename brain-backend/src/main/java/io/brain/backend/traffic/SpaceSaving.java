package io.brain.backend.traffic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the most frequent items in a fixed number of counters (the Space-Saving algorithm): a new
 * item replaces the least frequent one and inherits its count, so counts are never too low. Not
 * thread-safe.
 */
final class SpaceSaving<K> {
    private final Map<K, Counter> counters = new HashMap<>();
    private final int itemsMax;

    /** Creates at most {@code itemsMax} counters. */
    SpaceSaving(int itemsMax) {
        this.itemsMax = itemsMax;
    }

    /** Counts an item. */
    void add(K item, double times) {
        Counter counter = counters.get(item);
        if (counter == null) {
            counter = new Counter(counters.size() < itemsMax ? 0 : removeLeast());
            counters.put(item, counter);
        }
        counter.count += times;
    }

    /** Multiplies all counts by a factor; removes counts below a minimum. */
    void fade(double factor, double least) {
        counters.values()
                .removeIf(
                        counter -> {
                            counter.count *= factor;
                            counter.error *= factor;
                            return counter.count < least;
                        });
    }

    /** All counted items, most frequent first. */
    List<Counted<K>> all() {
        List<Counted<K>> all = new ArrayList<>(counters.size());
        counters.forEach((item, c) -> all.add(new Counted<>(item, c.count, c.error)));
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
     * An item and its count.
     *
     * @param error maximum overestimate
     */
    record Counted<K>(K item, double count, double error) {}

    private static final class Counter {
        private double count;
        private double error;

        private Counter(double inherited) {
            count = inherited;
            error = inherited;
        }
    }
}
