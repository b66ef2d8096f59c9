package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Everybody signs in at once, with passwords right and wrong, beside a client at work. */
@Tag("peer")
@Isolated
@Timeout(300)
class AuthenticateFloodTest {
    private static final int CALLS = 10_000;
    private static final int CONNECTIONS = 10;
    private static final int HEAP_MIB = 256;
    private static final String PASSWORD = "the right one";

    /** Compared with a bounded number of waiting calls at most; the others must be told at once. */
    private static final int COMPARED_MAX = 2_000;

    @Test
    void aFloodOfSignInsDisturbsNobody(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        ServerCommand command = ServerCommand.underTest().withHeap(HEAP_MIB);
        assumeFalse(command.isEtcd(), "etcd hashes all passwords, as many at once as there are");
        try (ServerProcess server = ServerProcess.start(command, ServerHome.fresh(directory));
                EtcdClient nobody = new EtcdClient(server.home().target())) {
            nobody.enableAuth(PASSWORD);
            String token = nobody.authenticate("root", PASSWORD);
            try (EtcdClient root = EtcdClient.withToken(server.home().target(), token)) {
                CallTimes puts = new CallTimes("puts", () -> root.put(Keys.of("k"), Keys.of("v")));
                puts.measureQuiet();
                Flood flood = new Flood(server.home().target());
                puts.measureBeside(() -> flood.left.getCount() == 0);
                System.out.println("summary: flood of sign-ins: " + flood.ends + puts);
                flood.expectBounded();
                puts.expectServed();
                assertThat(nobody.authenticate("root", PASSWORD)).isNotEmpty();
            } finally {
                assertThat(server.isAlive()).isTrue();
            }
        }
    }

    /** Calls under way on several connections, and how they end. */
    private static final class Flood {
        private final CountDownLatch left = new CountDownLatch(CALLS);
        private final Map<String, LongAdder> ends = new ConcurrentHashMap<>();
        private final List<EtcdClient> clients = new ArrayList<>();

        Flood(String target) {
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(new EtcdClient(target));
            }
            for (int i = 0; i < CALLS; i++) {
                AuthGrpc.newStub(clients.get(i % CONNECTIONS).channel())
                        .authenticate(
                                AuthenticateRequest.newBuilder()
                                        .setName("root")
                                        .setPassword(i % 2 == 0 ? PASSWORD : "a wrong one")
                                        .build(),
                                new End());
            }
        }

        void expectBounded() {
            clients.forEach(EtcdClient::close);
            assertThat(ends.keySet())
                    .isSubsetOf(
                            "OK",
                            "INVALID_ARGUMENT: etcdserver: authentication failed, invalid user ID"
                                    + " or password",
                            "UNKNOWN: etcdserver: too many requests");
            long refused =
                    ends.getOrDefault("UNKNOWN: etcdserver: too many requests", new LongAdder())
                            .sum();
            assertThat(refused).isBetween(CALLS - (long) COMPARED_MAX, CALLS - 1L);
        }

        private final class End implements StreamObserver<AuthenticateResponse> {
            @Override
            public void onNext(AuthenticateResponse answer) {}

            @Override
            public void onError(Throwable failure) {
                Status status = Status.fromThrowable(failure);
                count(status.getCode() + ": " + status.getDescription());
            }

            @Override
            public void onCompleted() {
                count("OK");
            }

            private void count(String end) {
                ends.computeIfAbsent(end, any -> new LongAdder()).increment();
                left.countDown();
            }
        }
    }
}
