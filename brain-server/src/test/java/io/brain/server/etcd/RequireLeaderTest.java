package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.server.FakeBackend;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Streams that want a leader, while there is none. */
class RequireLeaderTest {
    private static final MethodDescriptor<WatchRequest, WatchResponse> WATCH =
            WatchGrpc.getWatchMethod();

    private final FakeBackend backend = new FakeBackend();
    private Runnable nextLook;
    private final RequireLeader guard =
            new RequireLeader(
                    backend,
                    (delay, executor, task) -> {
                        nextLook = task;
                        return () -> {};
                    },
                    Duration.ofSeconds(3),
                    Set.of(WATCH.getFullMethodName()));
    private final List<String> ended = new ArrayList<>();

    @Test
    void streamsEndWhenThreeLooksInARowFindNoLeader() {
        open(false);
        backend.leader = 0;
        look();
        look();
        backend.leader = FakeBackend.MEMBER;
        look();
        backend.leader = 0;
        look();
        look();
        assertThat(ended).isEmpty();
        look();
        assertThat(ended).containsExactly("UNAVAILABLE etcdserver: no leader");
        look();
        assertThat(ended).hasSize(1);
    }

    @Test
    void aStreamThatCannotBeEndedKeepsNoOtherOneFromBeingEnded() {
        for (int stream = 0; stream < 20; stream++) {
            open(stream % 2 == 0);
        }
        backend.leader = 0;
        look();
        look();
        look();
        assertThat(ended).hasSize(10);
    }

    @Test
    void streamsThatComeAfterAFailureEndToo() {
        open(true);
        backend.leader = 0;
        for (int looks = 0; looks < 3; looks++) {
            look();
        }
        backend.leader = FakeBackend.MEMBER;
        open(false);
        look();
        backend.leader = 0;
        for (int looks = 0; looks < 3; looks++) {
            look();
        }
        assertThat(ended).hasSize(1);
    }

    /** What the scheduler does with a task that throws: it goes on without that task. */
    private void look() {
        Runnable look = nextLook;
        nextLook = () -> {};
        try {
            look.run();
        } catch (RuntimeException lost) {
            // The scheduler's thread survives.
        }
    }

    private void open(boolean closed) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
        var unused =
                guard.interceptCall(
                        new Call(closed), headers, (call, md) -> new ServerCall.Listener<>() {});
    }

    /** A call; one that the transport has closed by itself fails when it is closed again. */
    private final class Call extends ServerCall<WatchRequest, WatchResponse> {
        private final boolean closed;

        Call(boolean closed) {
            this.closed = closed;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(WatchResponse message) {}

        @Override
        public void close(Status status, Metadata trailers) {
            if (closed) {
                throw new IllegalStateException("call already closed");
            }
            ended.add(status.getCode() + " " + status.getDescription());
        }

        @Override
        public boolean isCancelled() {
            return closed;
        }

        @Override
        public MethodDescriptor<WatchRequest, WatchResponse> getMethodDescriptor() {
            return WATCH;
        }
    }
}
