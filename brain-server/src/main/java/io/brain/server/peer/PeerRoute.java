package io.brain.server.peer;

import io.brain.server.metrics.PeerMetrics;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The URLs of one node, a channel to each. Calls begin with the one that was reached last. */
final class PeerRoute implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerRoute.class);

    /** A channel waits longer and longer between attempts to connect; calls wait no longer. */
    private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final List<ManagedChannel> channels;
    private final PeerMetrics.Peer peer;
    private final AtomicReference<String> told;
    private final AtomicLong reconnected = new AtomicLong(System.nanoTime() - RECONNECT_NANOS);
    private volatile int preferred;
    private volatile boolean silent;
    private volatile boolean closed;

    /**
     * A route.
     *
     * @param peer counts the times that a way did not lead there
     * @param told what was logged last of a node that could not be reached; routes come and go
     *     while it is away, and need not say the same again and again
     */
    PeerRoute(List<ManagedChannel> channels, PeerMetrics.Peer peer, AtomicReference<String> told) {
        this.peer = peer;
        this.channels = List.copyOf(channels);
        this.told = told;
    }

    /** How many ways there are. */
    int size() {
        return channels.size();
    }

    /** Index of the way to begin with. */
    int preferred() {
        return preferred;
    }

    /** A way; {@code index} counts on round and round. */
    ManagedChannel channel(int index) {
        return channels.get(index % channels.size());
    }

    /** The node answered. */
    void reached(int index) {
        int way = index % channels.size();
        if (preferred != way || silent) {
            preferred = way;
            silent = false;
            told.set(null);
        }
    }

    /** The node could not be reached on a way. */
    void missed(int index, Status why) {
        if (closed) {
            return;
        }
        peer.missed();
        long now = System.nanoTime();
        long last = reconnected.get();
        if (now - last >= RECONNECT_NANOS && reconnected.compareAndSet(last, now)) {
            channels.forEach(ManagedChannel::resetConnectBackoff);
        }
        if (!silent) {
            silent = true;
            Throwable cause = why.getCause();
            String news =
                    channel(index).authority()
                            + ": "
                            + (cause == null ? why.getDescription() : cause.toString());
            if (!news.equals(told.getAndSet(news))) {
                LOG.warn("cannot reach the leader at {}", news);
            }
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends every call. Does not wait for connections to be closed. */
    @Override
    public void close() {
        closed = true;
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
