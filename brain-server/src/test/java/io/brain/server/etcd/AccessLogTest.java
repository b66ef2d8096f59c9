package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.server.Eventually;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import io.brain.server.tls.TestAuthority;
import io.brain.server.tls.TlsClients;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The access log's records of calls. */
@Timeout(60)
class AccessLogTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    @TempDir private Path directory;
    private TestServer server;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aCallIsLoggedWithKeyAndWithoutValue() throws Exception {
        start();
        kv().put(put("/registry/secrets/a", "swordfish"));
        JsonObject line = line(0);
        assertThat(text(line, "event")).isEqualTo("call");
        assertThat(text(line, "method")).isEqualTo("etcdserverpb.KV/Put");
        assertThat(text(line, "peer")).matches("127\\.0\\.0\\.1:\\d+");
        assertThat(text(line, "key")).isEqualTo("/registry/secrets/a");
        assertThat(text(line, "code")).isEqualTo("OK");
        assertThat(line.get("revision").getAsLong()).isEqualTo(FakeBackend.REVISION);
        assertThat(line.get("us").getAsLong()).isPositive();
        assertThat(line.get("received").getAsLong()).isEqualTo(1);
        assertThat(line.get("received_bytes").getAsLong()).isEqualTo(32);
        assertThat(line.get("sent").getAsLong()).isEqualTo(1);
        assertThat(line.get("sent_bytes").getAsLong()).isPositive();
        assertThat(text(line, "ts")).endsWith("Z");
        assertThat(line.keySet())
                .doesNotContain("cn", "trace_id", "range_end", "steps", "lease", "key_bytes");
        assertThat(Files.readString(file())).doesNotContain("swordfish");
    }

    @Test
    void aRangeIsLoggedWithRangeEndAndATransactionWithItsFirstOperation() throws Exception {
        start();
        kv().range(RangeRequest.newBuilder().setKey(utf8("a")).setRangeEnd(utf8("b")).build());
        RequestOp step = RequestOp.newBuilder().setRequestPut(put("k", "v")).build();
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        txn.addCompare(Compare.newBuilder().setKey(utf8("c")));
        kv().txn(txn.build());
        server.backend.onTxn = () -> server.backend.txn();
        kv().txn(txn.addSuccess(step).addFailure(step).build());
        assertThat(text(line(0), "range_end")).isEqualTo("b");
        assertThat(line(0).get("revision").getAsLong()).isEqualTo(FakeBackend.REVISION);
        assertThat(text(line(1), "key")).isEqualTo("c");
        assertThat(text(line(2), "key")).isEqualTo("k");
        assertThat(line(2).get("steps").getAsInt()).isEqualTo(2);
    }

    @Test
    void longKeysAreTruncatedAndBinaryKeysEncoded() throws Exception {
        start();
        kv().put(put("x".repeat(1000), "v"));
        kv().put(PutRequest.newBuilder().setKey(ByteString.copyFrom(new byte[] {-1, 0})).build());
        kv().put(put("a\"\n\u0000b", ""));
        assertThat(text(line(0), "key")).isEqualTo("x".repeat(256));
        assertThat(line(0).get("key_bytes").getAsInt()).isEqualTo(1000);
        assertThat(text(line(1), "key64")).isEqualTo("/wA=");
        assertThat(text(line(2), "key")).isEqualTo("a\"\n\u0000b");
    }

    @Test
    void anErrorIsLoggedWithItsCode() throws Exception {
        start();
        assertThat(
                        Statuses.of(
                                () ->
                                        LeaseGrpc.newBlockingStub(server.channel())
                                                .leaseRevoke(
                                                        LeaseRevokeRequest.newBuilder()
                                                                .setID(0xabc)
                                                                .build())))
                .isNotNull();
        assertThat(text(line(0), "code")).isEqualTo("NotFound");
        assertThat(text(line(0), "lease")).isEqualTo("abc");
    }

    @Test
    void aStreamIsLoggedWhenItOpensAndWhenItCloses() throws Exception {
        start();
        StreamObserver<WatchRequest> watch =
                WatchGrpc.newStub(server.channel()).watch(new Ignored<>());
        WatchCreateRequest create = WatchCreateRequest.newBuilder().setKey(utf8("w")).build();
        watch.onNext(WatchRequest.newBuilder().setCreateRequest(create).build());
        Eventually.holds(
                () ->
                        !server.backend.watches.isEmpty()
                                && server.backend.watches.element().asked.size() == 1);
        server.backend.watches.element().sink.created(1, 12);
        assertThat(text(line(0), "event")).isEqualTo("open");
        assertThat(line(0).keySet()).doesNotContain("code", "us", "key");
        watch.onError(new IllegalStateException("cancelled by the test"));
        JsonObject end = line(1);
        assertThat(text(end, "event")).isEqualTo("close");
        assertThat(text(end, "key")).isEqualTo("w");
        assertThat(text(end, "code")).isEqualTo("Canceled");
        assertThat(end.get("received").getAsLong()).isEqualTo(1);
        assertThat(end.get("sent").getAsLong()).isEqualTo(1);
        assertThat(end.get("revision").getAsLong()).isEqualTo(12);
    }

    @Test
    void theCommonNameOfTheCertificateIsLogged() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        Files.writeString(directory.resolve("ca.crt"), authority.certificate());
        authority.issue(directory, "server");
        authority.issue(directory, "client");
        start(
                "--listen-client-urls=https://127.0.0.1:0",
                "--cert-file=" + directory.resolve("server.crt"),
                "--key-file=" + directory.resolve("server.key"),
                "--trusted-ca-file=" + directory.resolve("ca.crt"));
        try (TlsClients clients = new TlsClients(directory)) {
            assertThat(clients.isServed(server.address(), "ca", "client")).isTrue();
        }
        assertThat(text(line(0), "cn")).isEqualTo("client");
        assertThat(text(line(0), "code")).isEqualTo("InvalidArgument");
    }

    @Test
    void theTraceIsLoggedOnlyIfEnabled() throws Exception {
        start("--enable-distributed-tracing");
        traced().put(put("k", "v"));
        kv().put(put("k", "v"));
        assertThat(text(line(0), "trace_id")).isEqualTo(TRACE);
        assertThat(line(1).has("trace_id")).isFalse();
        server.close();
        Files.delete(file());
        start();
        traced().put(put("k", "v"));
        assertThat(line(0).has("trace_id")).isFalse();
    }

    private KVGrpc.KVBlockingStub traced() {
        Metadata headers = new Metadata();
        headers.put(TRACEPARENT, "00-" + TRACE + "-b7ad6b7169203331-01");
        return kv().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private void start(String... more) throws Exception {
        List<String> args = new ArrayList<>(List.of(more));
        args.add("--brain-access-log=" + file());
        server = new TestServer(args.toArray(String[]::new));
    }

    private KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(server.channel());
    }

    /** A line; consecutive calls are logged in order. */
    private JsonObject line(int number) throws Exception {
        Eventually.holds(() -> server.access.written() > number);
        String line = Files.readAllLines(file()).get(number);
        return JsonParser.parseString(line).getAsJsonObject();
    }

    private Path file() {
        return directory.resolve("access.log");
    }

    private static String text(JsonObject line, String name) {
        return line.get(name).getAsString();
    }

    private static PutRequest put(String key, String value) {
        return PutRequest.newBuilder().setKey(utf8(key)).setValue(utf8(value)).build();
    }

    private static ByteString utf8(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** Ignores responses. */
    private static final class Ignored<A> implements StreamObserver<A> {
        @Override
        public void onNext(A response) {
            // ignored
        }

        @Override
        public void onError(Throwable failure) {
            // ignored: cancelled by the test
        }

        @Override
        public void onCompleted() {
            // ignored
        }
    }
}
