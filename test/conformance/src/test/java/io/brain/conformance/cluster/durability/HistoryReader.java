package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.WatchFeed;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Reads a store's history the way a client sees it: as the events of a watch from the past. */
final class HistoryReader {

    private static final Duration SILENCE_MAX = Duration.ofSeconds(60);

    private HistoryReader() {}

    /**
     * The events of the revisions from first to last, by revision. What does not come within a
     * minute of silence is missing from the result.
     */
    static NavigableMap<Long, List<Change>> read(EtcdClient client, long first, long last)
            throws InterruptedException {
        NavigableMap<Long, List<Change>> history = new TreeMap<>();
        if (first > last) {
            return history;
        }
        try (WatchFeed feed = WatchFeed.ofEverything(client.channel(), first)) {
            while (history.isEmpty() || history.lastKey() < last) {
                Optional<WatchResponse> response = feed.next(SILENCE_MAX);
                if (response.isEmpty() || response.get().getCanceled()) {
                    return history;
                }
                append(response.get(), history);
            }
        }
        return history;
    }

    /**
     * Adds a response's events. A revision that comes in two responses, or after a later one, is
     * refused: etcd never sends one.
     */
    static void append(WatchResponse response, NavigableMap<Long, List<Change>> history) {
        long before = history.isEmpty() ? 0 : history.lastKey();
        long newest = before;
        for (Event event : response.getEventsList()) {
            long revision = event.getKv().getModRevision();
            if (revision <= before || revision < newest) {
                throw new IllegalStateException("revision " + revision + " came after " + newest);
            }
            history.computeIfAbsent(revision, r -> new ArrayList<>()).add(change(event));
            newest = revision;
        }
    }

    private static Change change(Event event) {
        KeyValue kv = event.getKv();
        String key = kv.getKey().toStringUtf8();
        return event.getType() == Event.EventType.DELETE
                ? Change.delete(key)
                : Change.put(key, Payload.token(kv.getValue()), kv.getLease());
    }
}
