package io.brain.server.peer;

import io.brain.backend.model.Futures;
import io.brain.proto.peer.Nothing;
import io.brain.server.metrics.PeerMetrics;
import io.grpc.Context;
import io.grpc.Deadline;
import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Measures the round-trip time to the leader with an empty call. The first call of a connection is
 * not counted.
 */
final class RttProbe implements AutoCloseable {
    private static final long FIRST_MILLIS = 500;
    private static final long INTERVAL_MILLIS = 4_000;

    private final PeerRoute route;
    private final PeerMetrics.Peer peer;
    private final Future<?> task;

    // On the event loop's thread.
    private boolean connected;
    private boolean waiting;

    /** Starts measuring, until closed. */
    RttProbe(PeerRoute route, PeerMetrics.Peer peer, EventLoop loop) {
        this.route = route;
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
        long since = System.nanoTime();
        Context.ROOT.run(
                () ->
                        Futures.onEnd(
                                call().start(),
                                (answer, failure) -> {
                                    long nanos = System.nanoTime() - since;
                                    loop.execute(() -> end(loop, failure, nanos));
                                }));
    }

    private OutgoingCall<Nothing, Nothing, Nothing> call() {
        return new OutgoingCall<>(
                route,
                PeerMethods.PING,
                Nothing.getDefaultInstance(),
                answer -> answer,
                Deadline.after(INTERVAL_MILLIS, TimeUnit.MILLISECONDS));
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
