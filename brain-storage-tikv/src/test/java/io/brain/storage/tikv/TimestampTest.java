package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.StorageException;
import io.brain.storage.tikv.client.Backoff;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Timestamps from a PD that is slow or hangs. */
@Timeout(60)
final class TimestampTest {
    private StubCluster cluster;
    private Inside inside;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        inside = new Inside(cluster.options("rpc-timeout-ms", "5000"));
    }

    @AfterEach
    void close() {
        inside.close();
        cluster.close();
    }

    @Test
    void aCallerOutOfTimeLeavesTheStreamToTheOthers() throws Exception {
        int streams = cluster.timestampStreams();
        cluster.holdTimestamps(true);
        CompletableFuture<Long> patient = CompletableFuture.supplyAsync(inside::now);
        while (cluster.heldTimestamps() == 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }

        Backoff hurried = new Backoff(Duration.ofMillis(50));
        assertThatThrownBy(() -> inside.cluster.clock().now(hurried))
                .isInstanceOf(StorageException.class);
        cluster.holdTimestamps(false);

        assertThat(patient.get(30, TimeUnit.SECONDS)).isPositive();
        assertThat(cluster.timestampStreams()).isEqualTo(streams);
    }

    @Test
    void aStreamWithoutAnswersIsReplaced() throws Exception {
        int streams = cluster.timestampStreams();
        cluster.holdTimestamps(true);
        CompletableFuture<Long> asked = CompletableFuture.supplyAsync(inside::now);
        while (cluster.timestampStreams() == streams) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        cluster.holdTimestamps(false);

        assertThat(asked.get(30, TimeUnit.SECONDS)).isPositive();
    }
}
