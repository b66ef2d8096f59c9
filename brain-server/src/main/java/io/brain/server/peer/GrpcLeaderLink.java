package io.brain.server.peer;

import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.CommandKind;
import io.brain.backend.cluster.link.LeaderLink;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The link to the leader over gRPC. Transport threads complete the futures. Calls and event stream
 * use separate connections, so that a slow event stream does not delay responses.
 */
final class GrpcLeaderLink implements LeaderLink {
    private final PeerChannels calls;
    private final PeerChannels eventStream;
    private final RttProbe probe;
    private final Duration timeout;

    /**
     * Creates a link; closing it closes the arguments.
     *
     * @param timeout of calls
     */
    GrpcLeaderLink(PeerChannels calls, PeerChannels eventStream, RttProbe probe, Duration timeout) {
        this.probe = probe;
        this.calls = calls;
        this.eventStream = eventStream;
        this.timeout = timeout;
    }

    /** A read point is shared by many reads, so the first client must not cancel it. */
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

    @SuppressWarnings("unchecked") // the leader returns the result of the command
    private <T> CompletableFuture<T> call(LeaderCommand<T> command) {
        Deadline deadline =
                command.hasDeadline()
                        ? Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS)
                        : null;
        return new OutgoingCall<>(
                        calls,
                        PeerMethods.SUBMIT,
                        CommandCodec.encode(command),
                        response -> (T) CommandCodec.decodeResult(response),
                        deadline)
                .start();
    }

    @Override
    public void eventStream(long from, EventSink sink) {
        EventStreamReceiver.open(eventStream, from, sink);
    }

    @Override
    public void close() {
        probe.close();
        eventStream.close();
        calls.close();
    }
}
