package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.ProcessMemory;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.RangeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A server with a small heap for each test. Every test has to leave a healthy client served all the
 * while, the server alive and its memory within its bound.
 */
@Tag("peer")
@Isolated
@Timeout(value = 10, unit = TimeUnit.MINUTES)
abstract class HostileFixture {

    static final int HEAP_MIB = 256;
    static final int BESIDES_HEAP_MIB = 512;

    /** Far above what is expected, as the machine may be busy; far below giving up. */
    private static final Duration SLOWEST_MAX = Duration.ofSeconds(30);

    private ServerProcess server;
    private HealthyClient healthy;
    private EtcdClient timed;
    private CallTimes puts;

    @BeforeEach
    final void startServer(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        server = ServerProcess.start(command(), ServerHome.fresh(directory));
        healthy = new HealthyClient(server.home().target());
        timed = connect();
        puts = new CallTimes("puts", () -> timed.put(Keys.of("timed"), Keys.of("v")));
    }

    @AfterEach
    final void expectBoundedAndServed(TestInfo test) throws IOException {
        if (server == null) {
            return; // it did not start
        }
        try (ServerProcess stopped = server) {
            timed.close();
            healthy.close();
            assertThat(stopped.isAlive()).as("the server lives").isTrue();
            ProcessMemory memory = ProcessMemory.of(stopped.pid());
            System.out.printf(
                    "summary: hostile, %s: peak RSS %d MiB%s; healthy rounds %d, slowest %d ms%n",
                    test.getTestMethod().orElseThrow().getName(),
                    memory.peakBytes() >> 20,
                    puts,
                    healthy.rounds(),
                    healthy.slowest().toMillis());
            expectServed();
            if (!command().isEtcd()) { // etcd promises no bound
                assertThat(memory.peakBytes() >> 20)
                        .isLessThanOrEqualTo(HEAP_MIB + BESIDES_HEAP_MIB);
            }
        }
    }

    private void expectServed() {
        assertThat(healthy.failure()).isEmpty();
        assertThat(healthy.slowest()).isLessThan(SLOWEST_MAX);
        try (EtcdClient client = connect()) {
            var kept = client.range(RangeRequest.newBuilder().setKey(Keys.of("healthy")).build());
            assertThat(kept.getKvs(0).getModRevision()).isEqualTo(healthy.newestRevision());
        }
    }

    static ServerCommand command() {
        return ServerCommand.underTest().withHeap(HEAP_MIB);
    }

    ServerHome home() {
        return server.home();
    }

    /** Times of a healthy client's puts, printed after the test if it measures them. */
    final CallTimes puts() {
        return puts;
    }

    EtcdClient connect() {
        return new EtcdClient(server.home().target());
    }

    /** A value of this many bytes; the number makes it unlike the others. */
    static ByteString value(int number, int bytes) {
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            value[i] = (byte) (number * 31 + i * 7 + (i >> 8));
        }
        return ByteString.copyFrom(value);
    }
}
