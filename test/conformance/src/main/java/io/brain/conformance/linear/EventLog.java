package io.brain.conformance.linear;

import io.brain.proto.mvcc.Event;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * All events of a store since it was empty, by revision, each with the value that it replaced. Not
 * thread-safe.
 */
public final class EventLog {

    /** The revision of a store that nobody has written to. */
    public static final long EMPTY_STORE = 1;

    private final NavigableMap<Long, List<Event>> events = new TreeMap<>();

    /** Appends the events of one revision, in their order. */
    public void add(long revision, List<Event> changes) {
        events.merge(
                revision,
                List.copyOf(changes),
                (first, more) -> {
                    throw new IllegalArgumentException("revision " + revision + " comes twice");
                });
    }

    /** The events of one revision; empty if there are none. */
    public List<Event> at(long revision) {
        return events.getOrDefault(revision, List.of());
    }

    public NavigableMap<Long, List<Event>> all() {
        return events;
    }

    /** The events of later revisions. A view. */
    public NavigableMap<Long, List<Event>> after(long revision) {
        return events.tailMap(revision, false);
    }

    /** Appends all of a log that begins behind this one. */
    public void addAll(EventLog more) {
        more.all().forEach(this::add);
    }

    /** The newest revision. */
    public long last() {
        return events.isEmpty() ? EMPTY_STORE : events.lastKey();
    }
}
