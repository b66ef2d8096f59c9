package io.brain.conformance.linear.load;

import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.RevisionObservation;
import io.brain.proto.mvcc.Event;
import java.util.ArrayList;
import java.util.List;

/** Collects what clients and watchers saw. Thread-safe. */
final class Recorder {

    /** More than a round makes; beyond it a client ends with an error. */
    private static final int OPERATIONS_MAX = 1_000_000;

    private final List<Operation> operations = new ArrayList<>();
    private final List<RevisionObservation> observations = new ArrayList<>();
    private long newest;

    synchronized void add(Operation operation) {
        if (operations.size() >= OPERATIONS_MAX) {
            throw new IllegalStateException("a round of more than " + OPERATIONS_MAX + " requests");
        }
        operations.add(operation);
    }

    /** Notes the moment if these are the newest events that any watcher had. */
    synchronized void saw(List<Event> events) {
        long revision = events.get(events.size() - 1).getKv().getModRevision();
        if (revision > newest) {
            newest = revision;
            observations.add(new RevisionObservation(System.nanoTime(), revision));
        }
    }

    synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }

    synchronized List<RevisionObservation> observations() {
        return List.copyOf(observations);
    }
}
