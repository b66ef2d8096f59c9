package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.cluster.durability.LeaseCheck.Granted;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Several writers, a watcher and a compactor at work on one run of a server, each on its own
 * connection and thread, until the server is gone.
 */
final class WriteLoad {

    private final List<Writer> writers = new ArrayList<>();
    private final Compactor compactor;
    private final List<Thread> threads = new ArrayList<>();
    private final NavigableMap<Long, List<Change>> seen = new TreeMap<>();

    private WriteLoad(Compactor compactor) {
        this.compactor = compactor;
    }

    /**
     * @param round names this load's tokens and leases apart from every other round's
     * @param firstRevision where the watcher starts
     * @param compactor has its own stretch of history, before the first revision
     */
    static WriteLoad start(
            String target,
            int writers,
            int round,
            long firstRevision,
            Compactor compactor,
            Random random) {
        WriteLoad load = new WriteLoad(compactor);
        load.startThread("watcher", () -> load.watch(target, firstRevision));
        load.startThread("compactor", compactor);
        for (int i = 0; i < writers; i++) {
            long firstLease = (round * 100L + i + 1) * 1_000;
            String name = "r" + round + "w" + i;
            Writer writer = new Writer(target, name, firstLease, new Random(random.nextLong()));
            load.writers.add(writer);
            load.startThread(name, writer);
        }
        return load;
    }

    /** Waits for all of them to notice that the server is gone. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(Duration.ofMinutes(2).toMillis());
            if (thread.isAlive()) {
                throw new IllegalStateException(thread.getName() + " did not notice the end");
            }
        }
    }

    /** True when somebody has ended: while the server is up, nobody should. */
    boolean hasEndedEarly() {
        return threads.stream().anyMatch(thread -> !thread.isAlive());
    }

    /** All that the writers sent; the rest of these is for after {@link #join()}, too. */
    List<Attempt> attempts() {
        return writers.stream().flatMap(writer -> writer.attempts().stream()).toList();
    }

    List<Granted> grantedLeases() {
        return writers.stream().flatMap(writer -> writer.granted().stream()).toList();
    }

    /** Short leases that ended before their time. */
    List<Granted> endedTooSoon() {
        return writers.stream().flatMap(writer -> writer.endedTooSoon().stream()).toList();
    }

    /** What ended the writers and the compactor. */
    List<Status> ends() {
        return Stream.concat(
                        writers.stream().flatMap(writer -> writer.end().stream()),
                        compactor.end().stream())
                .map(end -> end.getStatus())
                .toList();
    }

    /** What the watcher saw, by revision. */
    NavigableMap<Long, List<Change>> seen() {
        return seen;
    }

    private void watch(String target, long firstRevision) {
        try (EtcdClient client = new EtcdClient(target);
                WatchFeed feed = WatchFeed.ofEverything(client.channel(), firstRevision)) {
            while (true) {
                Optional<WatchResponse> response = feed.next(Duration.ofMillis(100));
                if (response.isPresent()) {
                    HistoryReader.append(response.get(), seen);
                } else if (feed.end().isPresent()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }
}
