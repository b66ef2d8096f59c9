package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.proto.etcd.StatusRequest;
import io.brain.server.Eventually;
import io.brain.server.TestServer;
import io.brain.storage.StorageException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SnapshotTest {
    private static final int PIECE = 32 << 10;

    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .noneMatch(name -> name.startsWith("SNAPSHOT"));
        }
    }

    @Test
    void piecesAndTheirHashAreSent() throws Exception {
        byte[] database = new byte[3 * PIECE + 4096];
        new Random(1).nextBytes(database);
        server.snapshotSource =
                (after, file, sortFile, check) -> file.write(ByteBuffer.wrap(database));
        List<SnapshotResponse> responses = new ArrayList<>();
        snapshot().forEachRemaining(responses::add);
        assertThat(responses)
                .extracting(SnapshotResponse::getRemainingBytes)
                .containsExactly(2L * PIECE + 4096, PIECE + 4096L, 4096L, 0L, 0L);
        assertThat(responses).extracting(SnapshotResponse::getVersion).containsOnly("3.7.0");
        assertThat(responses).noneMatch(SnapshotResponse::hasHeader);
        ByteString sent = ByteString.EMPTY;
        for (SnapshotResponse response : responses.subList(0, 4)) {
            sent = sent.concat(response.getBlob());
        }
        assertThat(sent.toByteArray()).isEqualTo(database);
        assertThat(responses.get(4).getBlob().toByteArray())
                .isEqualTo(MessageDigest.getInstance("SHA-256").digest(database));
    }

    @Test
    void twoRunAndEightWait() throws Exception {
        // Connects: calls before that may arrive in another order.
        var unused =
                MaintenanceGrpc.newBlockingStub(server.channel())
                        .status(StatusRequest.getDefaultInstance());
        AtomicInteger running = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        server.snapshotSource =
                (after, file, sortFile, check) -> {
                    assertThat(running.incrementAndGet()).isLessThanOrEqualTo(2);
                    await(go);
                    file.write(ByteBuffer.allocate(10));
                    running.decrementAndGet();
                };
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            clients.add(new Client(server.channel(), 1));
        }
        Eventually.holds(() -> running.get() == 2);
        assertThat(Statuses.textOf(() -> snapshot().next()))
                .isEqualTo("UNKNOWN etcdserver: too many requests");
        // One that waits no longer makes room.
        clients.remove(9).cancel();
        Client late = new Client(server.channel(), 1);
        go.countDown();
        clients.add(late);
        for (Client client : clients) {
            assertThat(client.status.join().isOk()).isTrue();
        }
    }

    @Test
    void aCanceledCallEndsTheWork() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CompletableFuture<Exception> end = new CompletableFuture<>();
        server.snapshotSource =
                (after, file, sortFile, check) -> {
                    began.countDown();
                    try {
                        while (true) {
                            check.run();
                            pause();
                        }
                    } catch (RuntimeException canceled) {
                        end.complete(canceled);
                        throw canceled;
                    }
                };
        Client client = new Client(server.channel(), 1);
        began.await();
        client.cancel();
        assertThat(end.get()).isInstanceOf(CancellationException.class);
    }

    @Test
    void clientsThatReadNothingAreDisconnected() {
        ManagedChannel deaf =
                NettyChannelBuilder.forAddress(server.address()).usePlaintext().build();
        try {
            server.snapshotSource =
                    (after, file, sortFile, check) -> file.write(ByteBuffer.allocate(64 << 20));
            // As many as run at once.
            new Client(deaf, 0);
            new Client(deaf, 0);
            Iterator<SnapshotResponse> next = snapshot();
            assertThat(next.next().getRemainingBytes()).isEqualTo((64 << 20) - PIECE);
            next.forEachRemaining(piece -> {});
        } finally {
            deaf.shutdownNow();
        }
    }

    @Test
    void failuresAreReported() {
        server.snapshotSource =
                (after, file, sortFile, check) -> {
                    throw new IOException("No space left on device");
                };
        assertThat(Statuses.textOf(() -> snapshot().next()))
                .isEqualTo(
                        "RESOURCE_EXHAUSTED brain: cannot write the snapshot: No space left on"
                                + " device");
        server.snapshotSource =
                (after, file, sortFile, check) -> {
                    throw new StorageException(StorageException.Kind.UNAVAILABLE, "no store");
                };
        assertThat(Statuses.textOf(() -> snapshot().next())).startsWith("UNAVAILABLE ");
    }

    @Test
    void stoppingEndsAllCalls() throws Exception {
        CountDownLatch began = new CountDownLatch(2);
        server.snapshotSource =
                (after, file, sortFile, check) -> {
                    began.countDown();
                    while (true) {
                        check.run();
                        pause();
                    }
                };
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(new Client(server.channel(), 1));
        }
        began.await();
        server.stopSnapshots();
        for (Client client : clients) {
            Status end = client.status.get();
            assertThat(end.getCode() + " " + end.getDescription())
                    .isEqualTo("UNAVAILABLE etcdserver: server stopped");
        }
        assertThat(Statuses.textOf(() -> snapshot().next()))
                .isEqualTo("UNAVAILABLE etcdserver: server stopped");
    }

    private Iterator<SnapshotResponse> snapshot() {
        return MaintenanceGrpc.newBlockingStub(server.channel())
                .snapshot(SnapshotRequest.getDefaultInstance());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(1);
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }

    /** A call that discards what it receives. */
    private static final class Client extends ClientCall.Listener<SnapshotResponse> {
        private final CompletableFuture<Status> status = new CompletableFuture<>();
        private final ClientCall<SnapshotRequest, SnapshotResponse> call;

        /**
         * Starts the call.
         *
         * @param reads 0 to read nothing, 1 to read all
         */
        Client(ManagedChannel channel, int reads) {
            call = channel.newCall(MaintenanceGrpc.getSnapshotMethod(), CallOptions.DEFAULT);
            call.start(this, new Metadata());
            call.sendMessage(SnapshotRequest.getDefaultInstance());
            call.halfClose();
            if (reads > 0) {
                call.request(Integer.MAX_VALUE);
            }
        }

        void cancel() {
            call.cancel("canceled by the test", null);
        }

        @Override
        public void onClose(Status end, Metadata trailers) {
            status.complete(end);
        }
    }
}
