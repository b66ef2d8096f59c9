package io.brain.conformance.members;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.Peer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A server that starts before PD answers waits for it, and serves then. */
@Tag("peer")
@Isolated
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class LateStoreTest {
    private static final Duration SERVING_MAX = Duration.ofSeconds(60);

    /** Longer than a server looks for PD before it tries again. */
    private static final Duration AWAY = Duration.ofSeconds(20);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void aServerWaitsForPd() throws Exception {
        Peer.requireTikv();
        try (Cluster cluster = Cluster.start(Target.BRAIN, directory)) {
            List<Program> pds = cluster.bed().orElseThrow().pds();
            Program server = cluster.nodes().get(0).program();
            server.kill();
            for (Program pd : pds) {
                pd.pause();
            }
            server.start();
            Thread.sleep(AWAY.toMillis());
            assertThat(server.isAlive()).as("it waits").isTrue();
            for (Program pd : pds) {
                pd.resume();
            }
            assertThat(cluster.awaitServing(SERVING_MAX)).isTrue();
            assertThat(cluster.revived()).as("it did not end meanwhile").isZero();
        }
    }
}
