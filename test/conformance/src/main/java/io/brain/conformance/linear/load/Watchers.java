package io.brain.conformance.linear.load;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.linear.WatcherRecord;
import io.brain.conformance.members.Node;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Several watchers that begin on each node, of all keys and of prefixes, and one of all keys that
 * stays on it.
 */
final class Watchers implements AutoCloseable {

    private static final int TICK_MILLIS = 300;

    private final List<Watcher> watchers = new ArrayList<>();
    private final List<Watcher> staying = new ArrayList<>();
    private final List<ManagedChannel> channels;
    private final ScheduledExecutorService ticks =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "watchers");
                        thread.setDaemon(true);
                        return thread;
                    });

    /** Opens them all. */
    Watchers(List<Node> nodes, Recorder recorder) {
        this.channels = nodes.stream().map(Node::channel).toList();
        for (int node = 0; node < nodes.size(); node++) {
            add(node, "", node % 2 == 0, true, recorder);
            add(node, "", true, false, recorder);
            add(node, Requests.SHARED, true, node % 2 == 1, recorder);
            add(node, Requests.REGISTERS, false, true, recorder);
        }
        for (ManagedChannel channel : channels) {
            staying.add(watcher("", true, false, List.of(channel), 0, recorder));
        }
        watchers.addAll(staying);
        var unused =
                ticks.scheduleWithFixedDelay(
                        () -> watchers.forEach(Watcher::tick),
                        0,
                        TICK_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    private void add(
            int node, String prefix, boolean withPrevious, boolean impatient, Recorder recorder) {
        watchers.add(watcher(prefix, withPrevious, impatient, channels, node, recorder));
    }

    private Watcher watcher(
            String prefix,
            boolean withPrevious,
            boolean impatient,
            List<ManagedChannel> among,
            int home,
            Recorder recorder) {
        ByteString key = prefix.isEmpty() ? Keys.ZERO : Keys.of(prefix);
        ByteString end = prefix.isEmpty() ? Keys.ZERO : Keys.prefixEnd(key);
        String name =
                "watcher "
                        + (watchers.size() + staying.size() + 1)
                        + " of "
                        + (key.equals(Keys.ZERO) ? "all" : prefix);
        return new Watcher(
                new Watcher.Settings(name, key, end, withPrevious, impatient),
                among,
                home,
                recorder);
    }

    /** Waits until all have passed this revision; the names of those that have not in time. */
    List<String> await(long revision, Duration max) throws InterruptedException {
        long deadline = System.nanoTime() + max.toNanos();
        List<String> behind = behind(revision);
        while (!behind.isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(50);
            behind = behind(revision);
        }
        return behind;
    }

    /** True if the watcher that stays on this node has passed the revision. */
    boolean passedOn(int node, long revision) {
        return staying.get(node).passed(revision);
    }

    private List<String> behind(long revision) {
        return watchers.stream().filter(w -> !w.passed(revision)).map(Watcher::name).toList();
    }

    int resumptions() {
        return watchers.stream().mapToInt(Watcher::resumptions).sum();
    }

    int relists() {
        return watchers.stream().mapToInt(Watcher::relists).sum();
    }

    /** Ends all; what they were sent. */
    List<WatcherRecord> stop() {
        close();
        watchers.forEach(Watcher::stop);
        return watchers.stream().map(Watcher::record).toList();
    }

    @Override
    public void close() {
        ticks.shutdownNow();
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
