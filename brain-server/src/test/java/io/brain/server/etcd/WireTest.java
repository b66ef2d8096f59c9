package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors of malformed calls, with grpc-go's codes and texts. */
class WireTest {
    private static final byte[] RANGE =
            RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("a")).build().toByteArray();
    private static final String MALFORMED = "proto: cannot parse invalid wire-format data";

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RawCall call(String method) {
        return new RawCall(server.channel(), method);
    }

    private static String statusOf(RawCall call) throws Exception {
        Status status = call.end();
        return status.getCode() + " " + status.getDescription();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcdserverpb.KV/Nope|unknown method Nope for service etcdserverpb.KV",
                "etcdserverpb.KV/|unknown method  for service etcdserverpb.KV",
                "etcdserverpb.Lease/Leases|unknown method Leases for service etcdserverpb.Lease",
                "etcdserverpb.Nope/Nope|unknown service etcdserverpb.Nope",
                "a/b/c|unknown service a/b",
                "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
                        + "|unknown service grpc.reflection.v1.ServerReflection",
                "nope|malformed method name: \"/nope\""
            })
    void unknownMethodsHaveGrpcGosErrorText(String method, String text) throws Exception {
        assertThat(statusOf(call(method).send(RANGE).halfClose()))
                .isEqualTo("UNIMPLEMENTED " + text);
    }

    @Test
    void aMalformedRequestIsRefused() throws Exception {
        byte[] cut = {0x0a, 0x7f, 1};
        assertThat(statusOf(call("etcdserverpb.KV/Range").send(cut)))
                .isEqualTo("INTERNAL grpc: error unmarshalling request: " + MALFORMED);
        byte[] group = {0x0c};
        assertThat(statusOf(call("etcdserverpb.KV/Range").send(group)))
                .isEqualTo("INTERNAL grpc: error unmarshalling request: " + MALFORMED);
    }

    @Test
    void aMalformedRequestEndsAStream() throws Exception {
        byte[] cut = {0x0a, 0x7f, 1};
        String text = "INTERNAL grpc: failed to unmarshal the received message: " + MALFORMED;
        assertThat(statusOf(call("etcdserverpb.Watch/Watch").send(cut))).isEqualTo(text);
        assertThat(statusOf(call("etcdserverpb.Lease/LeaseKeepAlive").send(cut))).isEqualTo(text);
    }

    @Test
    void aTransactionNestedTooDeeplyHasTooManyOperations() throws Exception {
        TxnRequest nested = TxnRequest.getDefaultInstance();
        for (int depth = 0; depth < 600; depth++) {
            RequestOp op = RequestOp.newBuilder().setRequestTxn(nested).build();
            nested = TxnRequest.newBuilder().addSuccess(op).build();
        }
        assertThat(statusOf(call("etcdserverpb.KV/Txn").send(nested.toByteArray())))
                .isEqualTo("INVALID_ARGUMENT etcdserver: too many operations in txn request");
    }

    @Test
    void invalidUtf8IsRefused() throws Exception {
        byte[] bad = {0x0a, 1, (byte) 0xff};
        assertThat(statusOf(call("etcdserverpb.Auth/UserGet").send(bad)))
                .isEqualTo(
                        "INTERNAL grpc: error unmarshalling request: string field contains invalid"
                                + " UTF-8");
    }

    @Test
    void aCallWithoutRequestEndsAsInGrpcGo() throws Exception {
        assertThat(statusOf(call("etcdserverpb.KV/Range").halfClose())).isEqualTo("UNKNOWN EOF");
        assertThat(statusOf(call("etcdserverpb.KV/RangeStream").halfClose()))
                .isEqualTo(
                        "INTERNAL cardinality violation: received no request message from"
                                + " non-client-streaming RPC");
        assertThat(statusOf(call("etcdserverpb.Lease/LeaseKeepAlive").halfClose()))
                .isEqualTo("OK null");
    }

    @Test
    void aSecondRequestOfAUnaryCallIsIgnored() throws Exception {
        server.backend.queries.clear();
        RawCall call = call("etcdserverpb.KV/Range").send(RANGE).send(RANGE).send(RANGE);
        call.halfClose();
        RangeResponse response = RangeResponse.parseFrom(call.next());
        assertThat(response.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
        assertThat(call.end().getCode()).isEqualTo(Status.Code.OK);
        assertThat(server.backend.queries).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"2097153", "2097162", "4000000", "8000000"})
    void aTooLongMessageIsRefusedWithLengthAndLimit(int length) throws Exception {
        assertThat(statusOf(call("etcdserverpb.KV/Put").send(put(length))))
                .isEqualTo(
                        "RESOURCE_EXHAUSTED grpc: received message larger than max ("
                                + length
                                + " vs. 2097152)");
    }

    @Test
    void aMessageOfMaximumLengthIsAccepted() throws Exception {
        RawCall call = call("etcdserverpb.KV/Put").send(put(2_097_152)).halfClose();
        assertThat(call.end().getCode()).isEqualTo(Status.Code.OK);
    }

    @Test
    void aMessageFarAboveTheLimitIsRefused() throws Exception {
        Status status = call("etcdserverpb.KV/Put").send(put(40_000_000)).end();
        assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @Test
    void aCompressedRequestIsAccepted() {
        server.backend.queries.clear();
        KVGrpc.newBlockingStub(server.channel())
                .withCompression("gzip")
                .range(RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("zipped")).build());
        assertThat(server.backend.queries.element().span().key().toString()).isEqualTo("zipped");
    }

    @Test
    void aCompressedRequestAboveTheLimitIsRefused() {
        ByteString zeros = ByteString.copyFrom(new byte[3_000_000]);
        KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(server.channel()).withCompression("gzip");
        Status status = Statuses.of(() -> kv.put(PutRequest.newBuilder().setKey(zeros).build()));
        assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(status.getDescription())
                .isEqualTo("grpc: received message after decompression larger than max 2097152");
    }

    @Test
    void largeHeadersAreAccepted() throws Exception {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("x", Metadata.ASCII_STRING_MARSHALLER), "y".repeat(900_000));
        RawCall call = new RawCall(server.channel(), "etcdserverpb.KV/Range", headers, 1);
        assertThat(call.send(RANGE).halfClose().end().getCode()).isEqualTo(Status.Code.OK);
    }

    @Test
    void callsThatRequireALeaderFailWithoutOne() throws Exception {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
        server.backend.leader = 0;
        try {
            for (String method :
                    new String[] {"etcdserverpb.KV/Range", "etcdserverpb.Watch/Watch"}) {
                RawCall call = new RawCall(server.channel(), method, headers, 1);
                assertThat(statusOf(call)).isEqualTo("UNAVAILABLE etcdserver: no leader");
            }
            assertThat(call("etcdserverpb.KV/Range").send(RANGE).halfClose().end().isOk()).isTrue();
        } finally {
            server.backend.leader = FakeBackend.MEMBER;
        }
    }

    /** A put of this length. */
    private static byte[] put(int length) {
        ByteString key = ByteString.copyFrom("k", StandardCharsets.UTF_8);
        int frame = 3 + 5;
        PutRequest request =
                PutRequest.newBuilder()
                        .setKey(key)
                        .setValue(ByteString.copyFrom(new byte[length - frame]))
                        .build();
        int excess = request.getSerializedSize() - length;
        return PutRequest.newBuilder()
                .setKey(key)
                .setValue(ByteString.copyFrom(new byte[length - frame - excess]))
                .build()
                .toByteArray();
    }
}
