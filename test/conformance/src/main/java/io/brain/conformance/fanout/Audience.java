package io.brain.conformance.fanout;

import io.brain.conformance.members.Node;
import io.brain.proto.etcd.WatchGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Watchers of the same prefix, spread evenly over some nodes; always on as many connections and
 * streams, so that forms differ in nothing else. They expect an event of each revision from the
 * first on. One thread owns it; streams report from theirs.
 */
final class Audience implements AutoCloseable {

    /** Divisible by 1, 2 and 3 nodes. */
    private static final int CONNECTIONS = 6;

    private static final int STREAM_WATCHERS_MAX = 20;
    private static final Metadata NEEDS_LEADER = new Metadata();

    static {
        NEEDS_LEADER.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
    }

    private final long first;
    private final int events;
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<KubeStream> streams = new ArrayList<>();
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger finished = new AtomicInteger();
    private final AtomicReference<String> trouble = new AtomicReference<>();
    private int watchers;

    /**
     * Has no watchers yet.
     *
     * @param first the first revision that they wait for
     * @param events how many revisions in a row
     */
    Audience(long first, int events) {
        this.first = first;
        this.events = events;
    }

    /** Opens the watchers; with none, the nodes may be empty. */
    void open(List<Node> nodes, int wanted) {
        watchers = wanted;
        for (int i = 0; i < CONNECTIONS && wanted > 0; i++) {
            ManagedChannel channel = nodes.get(i % nodes.size()).directChannel();
            channels.add(channel);
            int mine = wanted / CONNECTIONS + (i < wanted % CONNECTIONS ? 1 : 0);
            for (int left = mine; left > 0; left -= STREAM_WATCHERS_MAX) {
                KubeStream stream = new KubeStream(this, Math.min(left, STREAM_WATCHERS_MAX));
                streams.add(stream);
                var unused =
                        WatchGrpc.newStub(channel)
                                .withInterceptors(
                                        MetadataUtils.newAttachHeadersInterceptor(NEEDS_LEADER))
                                .watch(stream);
                stream.create(Load.PREFIX);
            }
        }
    }

    long first() {
        return first;
    }

    /** The last revision that is awaited. */
    long last() {
        return first + events - 1;
    }

    /** A watcher is there. */
    void created() {
        created.incrementAndGet();
    }

    /** A watcher was sent the last event. */
    void finished() {
        finished.incrementAndGet();
    }

    /** Something was wrong; the first is kept. */
    void trouble(String what) {
        trouble.compareAndSet(null, what);
    }

    /** Waits until all watchers are there. */
    void awaitCreated(Duration max) throws InterruptedException, WrongEvents {
        await(created, max, "are there");
    }

    /** Waits until all watchers were sent the last event. */
    void awaitAll(Duration max) throws InterruptedException, WrongEvents {
        await(finished, max, "were sent all events");
    }

    private void await(AtomicInteger count, Duration max, String what)
            throws InterruptedException, WrongEvents {
        long deadline = System.nanoTime() + max.toNanos();
        while (count.get() < watchers) {
            check();
            if (System.nanoTime() > deadline) {
                throw new WrongEvents(
                        "only %d of %d watchers %s".formatted(count.get(), watchers, what));
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Throws if anything was wrong until now. */
    void check() throws WrongEvents {
        if (trouble.get() != null) {
            throw new WrongEvents(trouble.get());
        }
    }

    @Override
    public void close() {
        streams.forEach(KubeStream::stop);
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
