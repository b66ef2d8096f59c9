package io.brain.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.server.BrainServer;
import io.brain.server.Eventually;
import io.brain.server.config.CommandLineReader;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All TLS files are replaced repeatedly while a server feeds watch streams. */
@Timeout(120)
class ReloadUnderWatchesTest {
    private static final int CONNECTIONS = 20;
    private static final int STREAMS_EACH = 10;
    private static final int ROUNDS = 3;
    private static final ByteString KEY = ByteString.copyFromUtf8("k");

    @TempDir private Path directory;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger events = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();

    @Test
    void noneOf200StreamsIsDropped() throws Exception {
        renew("round-0");
        List<String> args =
                List.of(
                        "--data-dir=" + file("data"),
                        "--listen-client-urls=https://127.0.0.1:0",
                        "--advertise-client-urls=https://127.0.0.1:2379",
                        "--cert-file=" + file("server.crt"),
                        "--key-file=" + file("server.key"),
                        "--trusted-ca-file=" + file("ca.crt"));
        try (BrainServer server =
                        BrainServer.start(CommandLineReader.read(args, Map.of()).config());
                TlsClients clients = new TlsClients(directory)) {
            InetSocketAddress address = server.clientAddresses().get(0);
            List<StreamObserver<WatchRequest>> streams = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                ManagedChannel channel = clients.channel(address, "ca", "round-0");
                for (int j = 0; j < STREAMS_EACH; j++) {
                    streams.add(watch(channel));
                }
            }
            int all = CONNECTIONS * STREAMS_EACH;
            Eventually.holds(() -> opened.get() == all);
            for (int round = 1; round <= ROUNDS; round++) {
                renew("round-" + round);
                Thread.sleep(1100); // files are checked once per second
                assertThat(clients.isServed(address, "ca", "round-" + (round - 1))).isFalse();
                put(clients.channel(address, "ca", "round-" + round));
                int expected = all * round;
                Eventually.holds(() -> events.get() == expected || dropped.get() > 0);
                assertThat(dropped).hasValue(0);
            }
            assertThat(streams).hasSize(all);
            assertThat(dropped).hasValue(0);
            System.out.printf(
                    "summary: TLS  certificate and CA replaced %d times under %d watch"
                            + " streams on %d connections: %d events, %d dropped%n",
                    ROUNDS, all, CONNECTIONS, events.get(), dropped.get());
        }
    }

    /** Replaces the CA and all certificates. */
    private void renew(String client) throws Exception {
        TestAuthority authority = new TestAuthority(client);
        authority.issue(directory, client);
        authority.issue(directory, "server");
        Files.writeString(file("ca.crt"), authority.certificate());
    }

    private StreamObserver<WatchRequest> watch(ManagedChannel channel) {
        StreamObserver<WatchRequest> stream =
                WatchGrpc.newStub(channel)
                        .watch(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(WatchResponse response) {
                                        opened.addAndGet(response.getCreated() ? 1 : 0);
                                        events.addAndGet(response.getEventsCount());
                                    }

                                    @Override
                                    public void onError(Throwable failure) {
                                        dropped.incrementAndGet();
                                    }

                                    @Override
                                    public void onCompleted() {
                                        dropped.incrementAndGet();
                                    }
                                });
        stream.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder().setKey(KEY))
                        .build());
        return stream;
    }

    private static void put(ManagedChannel channel) {
        KVGrpc.newBlockingStub(channel).put(PutRequest.newBuilder().setKey(KEY).build());
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
