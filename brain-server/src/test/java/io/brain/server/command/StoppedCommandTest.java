package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.StatusResponse;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.server.BrainServer;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.StoreWait;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A signal ends a command that calls servers, also while it waits for an answer, and the start of a
 * standby.
 */
@Timeout(60)
class StoppedCommandTest {
    private static final int KEYS = 300;

    private final CompletableFuture<Void> stop = new CompletableFuture<>();
    private final AtomicInteger txns = new AtomicInteger();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @TempDir private Path directory;
    private Server cluster;

    @BeforeEach
    void start() throws Exception {
        cluster =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(new Kv())
                        .addService(new Maintenance())
                        .build()
                        .start();
    }

    @AfterEach
    void stopCluster() {
        cluster.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "backup DIR --endpoints=URL",
                "export DIR --endpoints=URL",
                "verify URL URL"
            })
    void aCallThatIsNotAnsweredEnds(String line) {
        assertThat(run(line.replace("DIR", place("target")).split(" ", -1))).isPositive();
        assertThat(errors.toString(UTF_8)).contains(": stopped").hasLineCount(1);
    }

    @Test
    void theFirstCopyOfAStandbyEnds() throws Exception {
        List<String> flags =
                List.of(
                        "--data-dir=" + place("standby"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:0",
                        "--standby-of=http://127.0.0.1:" + cluster.getPort());
        BrainConfig config = CommandLineReader.read(flags, Map.of()).config();
        assertThatThrownBy(() -> BrainServer.start(config, stop))
                .isInstanceOf(StoreWait.StopException.class);
    }

    @Test
    void aRestoreOfAPrefixChangesNoMoreKeys() throws Exception {
        backUp();
        assertThat(run("restore", place("backups"), "--endpoints=URL", "--prefix=k")).isEqualTo(1);
        assertThat(errors.toString(UTF_8))
                .contains("cannot restore: stopped; restored so far: " + txns + " puts and 0 ");
        assertThat(txns.get()).isBetween(1, KEYS - 1);
    }

    private void backUp() throws Exception {
        List<String> flags =
                List.of(
                        "--data-dir=" + place("store"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:0");
        try (BrainServer server =
                BrainServer.start(CommandLineReader.read(flags, Map.of()).config())) {
            InetSocketAddress address = server.clientAddresses().get(0);
            ManagedChannel channel = NettyChannelBuilder.forAddress(address).usePlaintext().build();
            KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(channel);
            for (int i = 0; i < KEYS; i++) {
                ByteString key = ByteString.copyFromUtf8("k" + i);
                var unused = kv.put(PutRequest.newBuilder().setKey(key).build());
            }
            channel.shutdownNow();
            String url = "--endpoints=http://127.0.0.1:" + address.getPort();
            assertThat(run("backup", place("backups"), url)).isZero();
        }
    }

    private String place(String name) {
        return directory.resolve(name).toString();
    }

    private int run(String... args) {
        errors.reset();
        String url = "http://127.0.0.1:" + cluster.getPort();
        List<String> all = Stream.of(args).map(arg -> arg.replace("URL", url)).toList();
        return CommandRun.run(all, directory, OutputStream.nullOutputStream(), errors, stop);
    }

    private static ResponseHeader header() {
        return ResponseHeader.newBuilder().setClusterId(7).setRevision(1).build();
    }

    private static <T> void answer(StreamObserver<T> call, T response) {
        call.onNext(response);
        call.onCompleted();
    }

    /** Has no keys, and accepts every transaction; the first one brings the signal. */
    private final class Kv extends KVGrpc.KVImplBase {
        @Override
        public void range(RangeRequest request, StreamObserver<RangeResponse> call) {
            answer(call, RangeResponse.newBuilder().setHeader(header()).build());
        }

        @Override
        public void txn(TxnRequest request, StreamObserver<TxnResponse> call) {
            txns.incrementAndGet();
            stop.complete(null);
            answer(call, TxnResponse.newBuilder().setHeader(header()).setSucceeded(true).build());
        }
    }

    /** Does not answer the long calls, which bring the signal. */
    private final class Maintenance extends MaintenanceGrpc.MaintenanceImplBase {
        @Override
        public void status(StatusRequest request, StreamObserver<StatusResponse> call) {
            answer(call, StatusResponse.newBuilder().setHeader(header()).build());
        }

        @Override
        public void snapshot(SnapshotRequest request, StreamObserver<SnapshotResponse> call) {
            stop.complete(null);
        }

        @Override
        public void hashKV(HashKVRequest request, StreamObserver<HashKVResponse> call) {
            stop.complete(null);
        }
    }
}
