package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.verify.Side;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A source that is connected, and leaves calls without an answer. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentSourceTest {
    private final AtomicBoolean answers = new AtomicBoolean();
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server =
                NettyServerBuilder.forAddress(any)
                        .addService(new Kv())
                        .addService(new Maintenance())
                        .build()
                        .start();
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .intercept(new Hurry())
                        .build();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
    }

    @Test
    void theCallsOfACutoverEnd() throws Exception {
        SourceCluster source = new SourceCluster("source", channel);
        assertLate(source::newestRevision);
        assertLate(() -> source.hash(1));
        try (Side.Entries entries = source.side().entries(KeySpan.ALL, 1)) {
            assertLate(entries::next);
        }
    }

    private static void assertLate(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("source: ")
                .hasMessageContaining("deadline exceeded");
    }

    @Test
    void aReadWithoutAnAnswerDelaysNoLaterReads() throws Exception {
        SourceReads reads =
                new SourceReads(
                        new Source(channel)::newestRevision,
                        revision -> CompletableFuture.completedFuture(null));
        CompletableFuture<Void> first = reads.newest();
        answers.set(true);
        CompletableFuture<Void> second = reads.newest();
        assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS))
                .hasCause(new BackendException(ErrorKind.TIMEOUT));
        assertThat(second).succeedsWithin(30, TimeUnit.SECONDS);
        assertThat(reads.newest()).succeedsWithin(30, TimeUnit.SECONDS);
    }

    /** Gives calls without an answer that have a deadline an earlier one. */
    private final class Hurry implements ClientInterceptor {
        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(
                MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return next.newCall(
                    method,
                    options.getDeadline() == null || answers.get()
                            ? options
                            : options.withDeadlineAfter(1, TimeUnit.SECONDS));
        }
    }

    private final class Kv extends KVGrpc.KVImplBase {
        private final AtomicBoolean asked = new AtomicBoolean();

        @Override
        public void range(RangeRequest request, StreamObserver<RangeResponse> call) {
            if (asked.getAndSet(true) && answers.get()) {
                call.onNext(RangeResponse.getDefaultInstance());
                call.onCompleted();
            }
        }
    }

    private static final class Maintenance extends MaintenanceGrpc.MaintenanceImplBase {
        @Override
        public void hashKV(HashKVRequest request, StreamObserver<HashKVResponse> call) {}
    }
}
