package io.brain.conformance.overload;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How calls ended, counted by their status. Thread-safe. */
final class Ends {

    static final String OK = "ok";

    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    private final LongAdder bytes = new LongAdder();

    void ended(String how) {
        counts.computeIfAbsent(how, h -> new AtomicInteger()).incrementAndGet();
    }

    void received(int more) {
        bytes.add(more);
    }

    /** All bytes of all answers. */
    long bytes() {
        return bytes.sum();
    }

    /** Calls that have ended. */
    int total() {
        return counts.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    int ok() {
        return counts.getOrDefault(OK, new AtomicInteger()).get();
    }

    /** Every end that was no success. */
    Map<String, Integer> refused() {
        Map<String, Integer> refused = new TreeMap<>();
        counts.forEach((how, count) -> refused.put(how, count.get()));
        refused.remove(OK);
        return refused;
    }
}
