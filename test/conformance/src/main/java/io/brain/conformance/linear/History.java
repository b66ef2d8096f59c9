package io.brain.conformance.linear;

import java.util.List;

/**
 * All that happened in one run, on a cluster whose store was empty.
 *
 * @param operations in no order
 * @param compacted the newest revision that a client asked to compact; 0 for none
 * @param observations the first moments at which watchers held something new, in no order
 */
public record History(
        List<Operation> operations,
        EventLog log,
        long compacted,
        List<RevisionObservation> observations,
        List<WatcherRecord> watchers) {

    public History {
        operations = List.copyOf(operations);
        observations = List.copyOf(observations);
        watchers = List.copyOf(watchers);
    }
}
