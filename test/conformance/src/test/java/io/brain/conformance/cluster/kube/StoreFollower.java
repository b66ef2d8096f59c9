package io.brain.conformance.cluster.kube;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.WatchFeed;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Watches every key of a store and goes on where it was after each kill of it: the whole history,
 * though compactions take it away behind. Its account may be read at any time.
 */
final class StoreFollower implements Runnable {

    private static final int PAUSE_MILLIS = 100;

    private final String target;
    private final Map<Long, String> history = new ConcurrentSkipListMap<>();
    private volatile long seen;
    private volatile boolean stopped;
    private volatile Optional<String> failure = Optional.empty();

    /**
     * @param target HOST:PORT of the store
     * @param seen the revision before the first that it looks at
     */
    StoreFollower(String target, long seen) {
        this.target = target;
        this.seen = seen;
    }

    @Override
    public void run() {
        try {
            while (!stopped && failure.isEmpty()) {
                follow();
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void stop() {
        stopped = true;
    }

    /** The newest revision seen. */
    long seen() {
        return seen;
    }

    /** The object that each revision changed last. */
    Map<Long, String> history() {
        return history;
    }

    /** A revision that was missing or came twice, or a refused watch. */
    Optional<String> failure() {
        return failure;
    }

    private void follow() throws InterruptedException {
        try (EtcdClient client = new EtcdClient(target);
                WatchFeed feed = WatchFeed.ofEverything(client.channel(), seen + 1)) {
            while (!stopped && failure.isEmpty()) {
                Optional<WatchResponse> response = feed.next(Duration.ofMillis(200));
                if (response.isPresent()) {
                    take(response.get());
                } else if (feed.end().isPresent()) {
                    return;
                }
            }
        }
    }

    private void take(WatchResponse response) {
        if (response.getCanceled()) {
            failure = Optional.of("canceled after " + seen + ": " + response.getCancelReason());
        }
        long before = seen;
        for (Event event : response.getEventsList()) {
            long revision = event.getKv().getModRevision();
            if (revision != seen + 1 && (revision != seen || revision == before)) {
                failure = Optional.of(revision + " came after " + seen);
            }
            seen = revision;
            history.put(revision, KubeFixture.nameOf(event.getKv().getKey().toStringUtf8()));
        }
    }
}
