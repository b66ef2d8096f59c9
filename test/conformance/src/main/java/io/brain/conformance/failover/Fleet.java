package io.brain.conformance.failover;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.Node;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Many watchers of the kind that kube-apiserver opens, on few streams over all nodes. They share
 * some prefixes, each of one object. Thread-safe.
 */
final class Fleet implements AutoCloseable {

    /** How many watchers one stream carries. */
    private static final int STREAM_WATCHERS_MAX = 20;

    private static final int PREFIXES_MAX = 50;
    private static final int TICK_MILLIS = 100;

    private final List<ManagedChannel> channels;
    private final List<KubeStream> streams = new ArrayList<>();
    private final int prefixes;
    private final ScheduledExecutorService ticks =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "fleet");
                        thread.setDaemon(true);
                        return thread;
                    });

    /**
     * Opens them.
     *
     * @param next the revision that they begin with
     */
    Fleet(List<Node> nodes, int watchers, long next) {
        this.channels = nodes.stream().map(Node::channel).toList();
        this.prefixes = Math.min(PREFIXES_MAX, watchers);
        List<ByteString> wanted = new ArrayList<>();
        for (int i = 0; i < watchers; i++) {
            wanted.add(Keys.of(prefix(i % prefixes)));
            if (wanted.size() == STREAM_WATCHERS_MAX || i == watchers - 1) {
                streams.add(new KubeStream(channels, streams.size(), wanted, next));
                wanted = new ArrayList<>();
            }
        }
        var unused =
                ticks.scheduleWithFixedDelay(
                        () -> streams.forEach(KubeStream::tick),
                        0,
                        TICK_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    /** The one object below each prefix. */
    List<ByteString> objects() {
        List<ByteString> objects = new ArrayList<>();
        for (int i = 0; i < prefixes; i++) {
            objects.add(Keys.of(prefix(i) + "object"));
        }
        return objects;
    }

    private static String prefix(int number) {
        return "/registry/kind" + (100 + number) + "/";
    }

    /** Spreads all over the nodes as in the beginning. */
    void goHome() {
        streams.forEach(KubeStream::goHome);
    }

    /** Waits until all watchers have passed this revision; how many have not in time. */
    int await(long revision, Duration max) throws InterruptedException {
        long deadline = System.nanoTime() + max.toNanos();
        int behind = behind(revision);
        while (behind > 0 && System.nanoTime() < deadline) {
            Thread.sleep(20);
            behind = behind(revision);
        }
        return behind;
    }

    private int behind(long revision) {
        return streams.stream().mapToInt(stream -> stream.behind(revision)).sum();
    }

    /** What all of them noticed so far. */
    KubeStream.Noticed noticed() {
        return streams.stream()
                .map(KubeStream::noticed)
                .reduce(KubeStream.Noticed.NOTHING, KubeStream.Noticed::plus);
    }

    @Override
    public void close() {
        ticks.shutdownNow();
        streams.forEach(KubeStream::stop);
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
