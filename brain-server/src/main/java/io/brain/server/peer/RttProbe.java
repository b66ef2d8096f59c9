package io.brain.server.peer;

import io.brain.backend.model.Futures;
import io.brain.server.metrics.PeerMetrics;
import io.grpc.Context;
import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Measures the round-trip time to the leader with an empty call. The first call of a connection is
 * ignored.
 */
final class RttProbe implements AutoCloseable {
    private static final long FIRST_MILLIS = 500;
    private static final long INTERVAL_MILLIS = 4_000;

    private final PeerChannels channels;
    private final PeerMetrics.Peer peer;
    private final Future<?> task;

    // Used by the event loop.
    private boolean connected;
    private boolean waiting;

    /** Starts measuring, until closed. */
    RttProbe(PeerChannels channels, PeerMetrics.Peer peer, EventLoop loop) {
        this.channels = channels;
        this.peer = peer;
        this.task =
                loop.scheduleWithFixedDelay(
                        () -> probe(loop), FIRST_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void probe(EventLoop loop) {
        if (waiting) {
            return;
        }
        waiting = true;
        long start = System.nanoTime();
        Context.ROOT.run(
                () ->
                        Futures.onEnd(
                                channels.ping(INTERVAL_MILLIS),
                                (response, failure) -> {
                                    long nanos = System.nanoTime() - start;
                                    loop.execute(() -> end(loop, failure, nanos));
                                }));
    }

    private void end(EventLoop loop, Throwable failure, long nanos) {
        waiting = false;
        if (failure != null) {
            connected = false;
        } else if (connected) {
            peer.answered(nanos);
        } else {
            connected = true;
            probe(loop);
        }
    }

    @Override
    public void close() {
        task.cancel(false);
    }
}
