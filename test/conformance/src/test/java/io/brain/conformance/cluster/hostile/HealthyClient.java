package io.brain.conformance.cluster.hostile;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;

/**
 * A well-behaved client at work all the time: it puts, reads back what it put and sees it on its
 * watch, several times a second and three times at least. Closing it ends its work; its account is
 * for after that.
 */
final class HealthyClient implements AutoCloseable {

    private static final ByteString KEY = Keys.of("healthy");
    private static final Duration EVENT_MAX = Duration.ofSeconds(60);
    private static final int PAUSE_MILLIS = 50;
    private static final int ROUNDS_MIN = 3;

    private final EtcdClient client;
    private final Thread thread;
    private volatile boolean closed;
    private Optional<String> failure = Optional.empty();
    private Duration slowest = Duration.ZERO;
    private long rounds;
    private long newestRevision;

    HealthyClient(String target) {
        this.client = new EtcdClient(target);
        this.thread = new Thread(this::work, "healthy-client");
        thread.start();
    }

    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        client.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What went wrong first; empty when nothing did. */
    Optional<String> failure() {
        return failure;
    }

    /** The longest time that a put, its read and its event took together. */
    Duration slowest() {
        return slowest;
    }

    long rounds() {
        return rounds;
    }

    /** The revision of its last put: the key must be found with it later. */
    long newestRevision() {
        return newestRevision;
    }

    private void work() {
        try (WatchFeed feed = new WatchFeed(client.channel())) {
            feed.create(WatchCreateRequest.newBuilder().setKey(KEY).build());
            if (feed.next(EVENT_MAX).isEmpty()) {
                failure = Optional.of("the watch was not created");
            }
            while ((!closed || rounds < ROUNDS_MIN) && failure.isEmpty()) {
                long started = System.nanoTime();
                round(feed);
                Duration took = Duration.ofNanos(System.nanoTime() - started);
                slowest = slowest.compareTo(took) < 0 ? took : slowest;
                rounds++;
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (StatusRuntimeException e) {
            failure = Optional.of("after " + rounds + " rounds: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void round(WatchFeed feed) throws InterruptedException {
        ByteString value = Keys.of("round " + rounds);
        newestRevision = client.put(KEY, value).getHeader().getRevision();
        var read = client.range(RangeRequest.newBuilder().setKey(KEY).build());
        if (read.getKvsCount() != 1 || !read.getKvs(0).getValue().equals(value)) {
            failure = Optional.of("read " + read + " after " + value.toStringUtf8());
        }
        var event = feed.next(EVENT_MAX);
        if (event.isEmpty() || !event.get().getEvents(0).getKv().getValue().equals(value)) {
            failure =
                    Optional.of(
                            "the watch shows %s after %s, its stream's end: %s"
                                    .formatted(event, value.toStringUtf8(), feed.end()));
        }
    }
}
