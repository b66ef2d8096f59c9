package io.brain.conformance.linear;

import java.util.List;

/**
 * All that happened in one run, on a cluster whose store was empty.
 *
 * @param operations in no order
 * @param compacted the newest revision that a client asked to compact; 0 for none
 * @param sightings the first moments at which watchers held something new, in no order
 */
public record History(
        List<Operation> operations,
        EventLog log,
        long compacted,
        List<Sighting> sightings,
        List<WatcherRecord> watchers) {

    public History {
        operations = List.copyOf(operations);
        sightings = List.copyOf(sightings);
        watchers = List.copyOf(watchers);
    }
}
