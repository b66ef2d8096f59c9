package io.brain.conformance.linear;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The newest revision that any client or watcher knew of, over time. */
final class KnownRevisions {

    private final NavigableMap<Long, Long> newest = new TreeMap<>();

    KnownRevisions(List<Operation> operations, List<RevisionObservation> observations) {
        NavigableMap<Long, Long> ends = new TreeMap<>();
        for (Operation operation : operations) {
            if (operation.isAnswered()) {
                ends.merge(operation.end(), operation.revision(), Math::max);
            }
        }
        for (RevisionObservation observation : observations) {
            ends.merge(observation.nanos(), observation.revision(), Math::max);
        }
        long max = 0;
        for (Map.Entry<Long, Long> end : ends.entrySet()) {
            if (end.getValue() > max) {
                max = end.getValue();
                newest.put(end.getKey(), max);
            }
        }
    }

    /** What was known before this moment; 0 if nothing was. */
    long at(long nanos) {
        Map.Entry<Long, Long> known = newest.lowerEntry(nanos);
        return known == null ? 0 : known.getValue();
    }
}
