package io.brain.server.peer;

import io.brain.backend.cluster.link.CommandKind;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.TailSink;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A way to the leader over gRPC. Futures are completed by the transport's threads. Calls have a
 * connection of their own, so that a stream that is not read does not keep answers from coming.
 */
final class GrpcLeaderLink implements LeaderLink {
    private final PeerRoute calls;
    private final PeerRoute tail;
    private final RttProbe roundTrips;
    private final Duration timeout;

    /**
     * A way to the leader; what it is made of is closed with it.
     *
     * @param timeout of a call
     */
    GrpcLeaderLink(PeerRoute calls, PeerRoute tail, RttProbe roundTrips, Duration timeout) {
        this.roundTrips = roundTrips;
        this.calls = calls;
        this.tail = tail;
        this.timeout = timeout;
    }

    /** Many reads wait for one read point: it does not end with the client that came first. */
    @Override
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (command.kind() != CommandKind.READ) {
            return call(command);
        }
        Context client = Context.ROOT.attach();
        try {
            return call(command);
        } finally {
            Context.ROOT.detach(client);
        }
    }

    @SuppressWarnings("unchecked") // the leader answers a command with its type of result
    private <T> CompletableFuture<T> call(LeaderCommand<T> command) {
        Deadline deadline =
                command.hasDeadline()
                        ? Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS)
                        : null;
        return new OutgoingCall<>(
                        calls,
                        PeerMethods.SUBMIT,
                        CommandCodec.encode(command),
                        answer -> (T) CommandCodec.decodeResult(answer),
                        deadline)
                .start();
    }

    @Override
    public void tail(long from, TailSink sink) {
        IncomingTail.open(tail, from, sink);
    }

    @Override
    public void close() {
        roundTrips.close();
        tail.close();
        calls.close();
    }
}
