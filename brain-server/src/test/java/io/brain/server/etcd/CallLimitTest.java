package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

class CallLimitTest {
    private final CallLimit limit = new CallLimit(2);
    private int served;

    @Test
    void aCallTooManyIsRefusedUntilAnotherEnds() {
        ServerStreamTracer first = begin();
        begin();
        assertThat(ask()).isNull();
        ServerStreamTracer third = begin();
        assertThat(ask().getDescription()).isEqualTo("etcdserver: too many requests");
        assertThat(served).isEqualTo(1);
        third.streamClosed(Status.OK);
        first.streamClosed(Status.CANCELLED);
        begin();
        assertThat(ask()).isNull();
        assertThat(served).isEqualTo(2);
    }

    private ServerStreamTracer begin() {
        return limit.newServerStreamTracer("service/Method", new Metadata());
    }

    /** How the newest call is refused; null if it is served. */
    private Status ask() {
        Call call = new Call();
        var unused =
                limit.interceptCall(
                        call,
                        new Metadata(),
                        (begun, md) -> {
                            served++;
                            return new ServerCall.Listener<>() {};
                        });
        return call.closed;
    }

    private static final class Call extends ServerCall<byte[], byte[]> {
        private Status closed;

        @Override
        public void close(Status status, Metadata trailers) {
            closed = status;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(byte[] message) {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public MethodDescriptor<byte[], byte[]> getMethodDescriptor() {
            throw new UnsupportedOperationException();
        }
    }
}
