package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.fair.Tenant;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class CallLimitsTest {
    private static final int CALLS_MAX = 200;
    private static final int BYTES_MAX = 4 << 20;
    private static final int MIB = 1 << 20;

    /** Counted for each frame in addition to its bytes. */
    private static final int FRAME_BYTES = 256;

    private static final int CHECKS_PER_MINUTE = 12;

    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final CallLimits limits =
            new CallLimits(
                    CALLS_MAX,
                    BYTES_MAX,
                    (delay, executor, task) -> {
                        scheduled.add(task);
                        return () -> {};
                    });

    @Test
    void aCallAboveTheLimitIsRefusedUntilAnotherEnds() {
        Call first = new Call();
        for (int i = 1; i < CALLS_MAX; i++) {
            assertThat(new Call().closed).isNull();
        }
        Call refused = new Call();
        assertThat(refused.error()).isEqualTo("etcdserver: too many requests");
        refused.tracer.streamClosed(Status.OK);
        first.tracer.streamClosed(Status.CANCELLED);
        assertThat(new Call().closed).isNull();
        assertThat(new Call().error()).isEqualTo("etcdserver: too many requests");
    }

    @Test
    void aboveTheLimitOfBytesTheOldestRequestIsRejected() {
        Call[] calls = {new Call(), new Call(), new Call(), new Call(), new Call()};
        for (Call call : calls) {
            call.tracer.inboundWireSize(MIB - FRAME_BYTES);
        }
        assertThat(calls[0].error()).isEqualTo("etcdserver: too many requests");
        for (int i = 1; i < calls.length; i++) {
            assertThat(calls[i].closed).isNull();
        }
        assertThat(limits.incompleteBytes()).isEqualTo(BYTES_MAX);
        calls[1].tracer.inboundMessageRead(0, MIB, MIB);
        calls[1].listener.onMessage(1);
        calls[2].tracer.streamClosed(Status.CANCELLED);
        assertThat(limits.incompleteBytes()).isEqualTo(2L * MIB);
        assertThat(calls[1].served).isEqualTo(1);
    }

    @Test
    void aRejectedCallReceivesNoRequests() {
        Call[] calls = {new Call(), new Call()};
        calls[0].tracer.inboundWireSize(3 * MIB - FRAME_BYTES);
        calls[1].tracer.inboundWireSize(3 * MIB - FRAME_BYTES);
        assertThat(calls[0].error()).isEqualTo("etcdserver: too many requests");
        calls[0].tracer.inboundWireSize(3 * MIB - FRAME_BYTES);
        calls[0].listener.onMessage(1);
        calls[0].listener.onHalfClose();
        assertThat(calls[0].served).isZero();
        assertThat(limits.incompleteBytes()).isEqualTo(3L * MIB);
    }

    @Test
    void aTooLargeLaterRequestOfAStreamClosesTheConnection() {
        Call stream = new Call();
        stream.listener.onMessage(1);
        stream.tracer.inboundWireSize(5 * MIB - FRAME_BYTES);
        assertThat(stream.closed).isNull();
        assertThat(stream.dropped).isTrue();
        assertThat(limits.incompleteBytes()).isZero();
    }

    @Test
    void smallRequestsAreNotCounted() {
        for (int i = 0; i < 100; i++) {
            new Call().tracer.inboundWireSize(3_000);
        }
        assertThat(limits.incompleteBytes()).isZero();
    }

    @Test
    void framesCountMoreThanTheirBytes() {
        Call call = new Call();
        for (int i = 0; i < 1000; i++) {
            call.tracer.inboundWireSize(1);
        }
        assertThat(limits.incompleteBytes()).isEqualTo(1000L * (1 + FRAME_BYTES));
    }

    @Test
    void aCallWithoutARequestFailsAfterAMinute() {
        Call silent = new Call();
        Call served = new Call();
        served.listener.onMessage(1);
        for (int i = 0; i < CHECKS_PER_MINUTE; i++) {
            scheduled.remove().run();
            assertThat(silent.closed).isNull();
        }
        scheduled.remove().run();
        assertThat(silent.error()).isEqualTo("etcdserver: request timed out");
        assertThat(served.closed).isNull();
        while (!scheduled.isEmpty()) {
            scheduled.remove().run();
        }
        new Call();
        assertThat(scheduled).hasSize(1);
    }

    /** A call as the transport starts it. */
    private final class Call extends ServerCall<Integer, Integer> implements Connection {
        private final ServerStreamTracer tracer =
                limits.newServerStreamTracer("service/Method", new Metadata());
        private final Listener<Integer> listener;
        private Status closed;
        private boolean dropped;
        private int served;

        Call() {
            Context context = tracer.filterContext(Context.ROOT);
            Context before = context.attach();
            listener =
                    limits.interceptCall(
                            this,
                            new Metadata(),
                            (call, md) ->
                                    new Listener<>() {
                                        @Override
                                        public void onMessage(Integer message) {
                                            served++;
                                        }

                                        @Override
                                        public void onHalfClose() {
                                            served++;
                                        }
                                    });
            context.detach(before);
        }

        String error() {
            return closed.getDescription();
        }

        @Override
        public Attributes getAttributes() {
            return Attributes.newBuilder().set(Connection.KEY, this).build();
        }

        @Override
        public void close(Status status, Metadata trailers) {
            closed = status;
        }

        @Override
        public Tenant tenant() {
            return Tenant.SERVER;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void drop() {
            dropped = true;
        }

        @Override
        public long takenBytes() {
            return 0;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(Integer message) {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public MethodDescriptor<Integer, Integer> getMethodDescriptor() {
            throw new UnsupportedOperationException();
        }
    }
}
