package io.brain.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.mvcc.KeyValue;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both clients against grpc-java's server, whose windows are small. */
class CallersTest {

    private static final int WINDOW_BYTES = 5_000;
    private static final int SECONDS_MAX = 20;

    private final Loop loop = new Loop();
    private final BlockingQueue<Object> ends = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> tokens = new LinkedBlockingQueue<>();
    private String token = "";
    private Server server;

    @BeforeEach
    void start() throws IOException {
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .initialFlowControlWindow(WINDOW_BYTES)
                        .maxInboundMessageSize(64 << 20)
                        .intercept(new Tokens())
                        .addService(new Kv())
                        .addService(new Leases())
                        .build()
                        .start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        loop.close();
        server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyCallsAtOnceAreAnswered(boolean lean) throws Exception {
        try (Caller caller = caller(lean)) {
            byte[] put = put(100);
            loop.run(
                    () -> {
                        for (int i = 0; i < 500; i++) {
                            caller.call(Rpc.PUT, put, reply());
                        }
                        return null;
                    });
            for (int i = 0; i < 500; i++) {
                assertThat(end()).isEqualTo(new Answer(100, 0, 0, 0, 0));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRequestLargerThanTheWindowsArrivesWhole(boolean lean) throws Exception {
        try (Caller caller = caller(lean)) {
            call(caller, Rpc.PUT, put(1_000_000));
            assertThat(end()).isEqualTo(new Answer(1_000_000, 0, 0, 0, 0));
            call(caller, Rpc.PUT, put(1));
            assertThat(end()).isEqualTo(new Answer(1, 0, 0, 0, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answersOfManyMegabytesAreRead(boolean lean) throws Exception {
        try (Caller caller = caller(lean)) {
            byte[] request = RangeRequest.newBuilder().setLimit(3_000).build().toByteArray();
            for (int i = 0; i < 20; i++) {
                call(caller, Rpc.RANGE, request);
                assertThat(end()).isEqualTo(new Answer(0, 3_000, 0, 1, 9));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailureHasAReasonAndTheNextCallSucceeds(boolean lean) throws Exception {
        try (Caller caller = caller(lean)) {
            for (int i = 0; i < 3; i++) {
                call(caller, Rpc.RANGE, new byte[0]);
                assertThat(end()).asString().contains("mvcc");
                call(caller, Rpc.PUT, put(1));
                assertThat(end()).isInstanceOf(Answer.class);
            }
            call(caller, Rpc.TXN, new byte[0]);
            assertThat(end()).isInstanceOf(String.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStreamWithOneAnswerIsACall(boolean lean) throws Exception {
        try (Caller caller = caller(lean)) {
            byte[] keep = LeaseKeepAliveRequest.newBuilder().setID(8).build().toByteArray();
            call(caller, Rpc.LEASE_KEEP_ALIVE, keep);
            assertThat(end()).isEqualTo(new Answer(0, 0, 8, 60, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callsFailWhenTheServerStops(boolean lean) throws Exception {
        try (Caller caller = caller(lean)) {
            call(caller, Rpc.PUT, put(1));
            assertThat(end()).isInstanceOf(Answer.class);
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
            call(caller, Rpc.PUT, put(1));
            assertThat(end()).isInstanceOf(String.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "false, 127", "true, 126", "true, 127", "true, 5000"})
    void theTokenIsSentWithEachCall(boolean lean, int length) throws Exception {
        token = "t".repeat(length);
        try (Caller caller = caller(lean)) {
            for (int i = 0; i < 2; i++) {
                call(caller, Rpc.PUT, put(1));
                assertThat(end()).isInstanceOf(Answer.class);
                assertThat(tokens.poll()).isEqualTo(token);
            }
        }
    }

    /** Keeps the token of each call, empty for none. */
    private final class Tokens implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            String value = headers.get(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER));
            tokens.add(value == null ? "" : value);
            return next.startCall(call, headers);
        }
    }

    private Caller caller(boolean lean) {
        return lean
                ? new LeanCaller(loop, server.getPort(), token)
                : new GrpcCaller(loop, server.getPort(), token);
    }

    private void call(Caller caller, Rpc rpc, byte[] request) throws Exception {
        loop.run(
                () -> {
                    caller.call(rpc, request, reply());
                    return null;
                });
    }

    private Object end() throws InterruptedException {
        return ends.poll(SECONDS_MAX, TimeUnit.SECONDS);
    }

    private Reply reply() {
        return new Reply() {
            @Override
            public void answered(Answer answer) {
                ends.add(answer);
            }

            @Override
            public void failed(String why) {
                ends.add(why);
            }
        };
    }

    private static byte[] put(int valueBytes) {
        return PutRequest.newBuilder()
                .setValue(ByteString.copyFrom(new byte[valueBytes]))
                .build()
                .toByteArray();
    }

    /**
     * Answers a put with its value's length as revision, and a range with as many keys as asked.
     */
    private static final class Kv extends KVGrpc.KVImplBase {
        @Override
        public void put(PutRequest request, StreamObserver<PutResponse> answer) {
            ResponseHeader.Builder header =
                    ResponseHeader.newBuilder().setRevision(request.getValue().size());
            answer.onNext(PutResponse.newBuilder().setHeader(header).build());
            answer.onCompleted();
        }

        @Override
        public void range(RangeRequest request, StreamObserver<RangeResponse> answer) {
            if (request.getLimit() == 0) {
                answer.onError(Status.OUT_OF_RANGE.withDescription("mvcc: no").asException());
                return;
            }
            KeyValue kv =
                    KeyValue.newBuilder().setValue(ByteString.copyFrom(new byte[1_024])).build();
            RangeResponse.Builder range = RangeResponse.newBuilder().setMore(true).setCount(9);
            for (int i = 0; i < request.getLimit(); i++) {
                range.addKvs(kv);
            }
            answer.onNext(range.build());
            answer.onCompleted();
        }
    }

    /** Keeps any lease alive. */
    private static final class Leases extends LeaseGrpc.LeaseImplBase {
        @Override
        public StreamObserver<LeaseKeepAliveRequest> leaseKeepAlive(
                StreamObserver<LeaseKeepAliveResponse> answers) {
            return new StreamObserver<>() {
                @Override
                public void onNext(LeaseKeepAliveRequest request) {
                    answers.onNext(
                            LeaseKeepAliveResponse.newBuilder()
                                    .setID(request.getID())
                                    .setTTL(60)
                                    .build());
                }

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {
                    answers.onCompleted();
                }
            };
        }
    }
}
