package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.server.FakeBackend;
import io.brain.server.grpc.IncomingCall.Request;
import io.brain.server.grpc.ServiceBuilder.Limits;
import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Headers of calls, and streams that require a leader. */
class HeaderInterceptorTest {
    private static final MethodDescriptor<Request<WatchRequest>, WatchResponse> WATCH =
            WatchGrpc.getWatchMethod().toBuilder(
                            new RequestMarshaller<>(
                                    WatchRequest.getDefaultInstance(), new Limits(1, 1), ""),
                            WatchGrpc.getWatchMethod().getResponseMarshaller())
                    .build();

    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final FakeBackend backend = new FakeBackend();
    private Runnable nextCheck = () -> {};
    private final HeaderInterceptor interceptor =
            new HeaderInterceptor(
                    backend,
                    (delay, executor, task) -> {
                        nextCheck = task;
                        return () -> {};
                    },
                    Duration.ofSeconds(3),
                    Set.of(WATCH.getFullMethodName()));
    private final List<String> closedWith = new ArrayList<>();

    @Test
    void streamsFailAfterThreeChecksInARowWithoutLeader() {
        open(false);
        backend.leader = 0;
        check();
        check();
        backend.leader = FakeBackend.MEMBER;
        check();
        backend.leader = 0;
        check();
        check();
        assertThat(closedWith).isEmpty();
        check();
        assertThat(closedWith).containsExactly("UNAVAILABLE etcdserver: no leader");
        check();
        assertThat(closedWith).hasSize(1);
    }

    @Test
    void aStreamThatCannotBeClosedDoesNotAffectOthers() {
        for (int stream = 0; stream < 20; stream++) {
            open(stream % 2 == 0);
        }
        backend.leader = 0;
        check();
        check();
        check();
        assertThat(closedWith).hasSize(10);
    }

    @Test
    void streamsOpenedAfterAFailureAreClosedToo() {
        open(true);
        backend.leader = 0;
        for (int checks = 0; checks < 3; checks++) {
            check();
        }
        backend.leader = FakeBackend.MEMBER;
        open(false);
        check();
        backend.leader = 0;
        for (int checks = 0; checks < 3; checks++) {
            check();
        }
        assertThat(closedWith).hasSize(1);
    }

    @Test
    void aCallWhoseFirstVersionIsNotUtf8Fails() {
        open(versions("3.7", "\u00ff"));
        open(versions("\u00c3\u00a9"));
        open(versions("\u00c3"));
        assertThat(closedWith)
                .containsExactly("INVALID_ARGUMENT etcdserver: invalid client api version");
    }

    @Test
    void theFirstOfSeveralWishesForALeaderCounts() {
        backend.leader = 0;
        Metadata headers = new Metadata();
        headers.put(HAS_LEADER, "false");
        headers.put(HAS_LEADER, "true");
        open(headers);
        assertThat(closedWith).isEmpty();
        headers.removeAll(HAS_LEADER);
        headers.put(HAS_LEADER, "true");
        headers.put(HAS_LEADER, "false");
        open(headers);
        assertThat(closedWith).containsExactly("UNAVAILABLE etcdserver: no leader");
    }

    /** Each character is one byte. */
    private static Metadata versions(String... versions) {
        List<byte[]> headers = new ArrayList<>();
        for (String version : versions) {
            headers.add("client-api-version".getBytes(StandardCharsets.US_ASCII));
            headers.add(version.getBytes(StandardCharsets.ISO_8859_1));
        }
        return InternalMetadata.newMetadata(headers.toArray(byte[][]::new));
    }

    private void open(Metadata headers) {
        open(new Call(false), headers);
    }

    private void open(Call opened, Metadata headers) {
        var unused = interceptor.interceptCall(opened, headers, (call, md) -> new Stream(call));
    }

    /** Runs the next check as the scheduler does, which survives exceptions. */
    private void check() {
        Runnable check = nextCheck;
        nextCheck = () -> {};
        try {
            check.run();
        } catch (RuntimeException lost) {
            // The scheduler's thread survives.
        }
    }

    private void open(boolean closed) {
        Metadata headers = new Metadata();
        headers.put(HAS_LEADER, "true");
        open(new Call(closed), headers);
    }

    /** A stream without requests. */
    private static final class Stream extends IncomingCall<WatchRequest, WatchResponse> {
        Stream(ServerCall<Request<WatchRequest>, WatchResponse> call) {
            super(call);
        }

        @Override
        protected void onRequest(Request<WatchRequest> request) {}
    }

    /** A call; closing one that the transport has closed fails. */
    private final class Call extends ServerCall<Request<WatchRequest>, WatchResponse> {
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
            closedWith.add(status.getCode() + " " + status.getDescription());
        }

        @Override
        public boolean isCancelled() {
            return closed;
        }

        @Override
        public MethodDescriptor<Request<WatchRequest>, WatchResponse> getMethodDescriptor() {
            return WATCH;
        }
    }
}
