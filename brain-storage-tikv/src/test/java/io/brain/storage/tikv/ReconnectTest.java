package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** PD and a store that were away for so long that gRPC connects to them less and less often. */
@Timeout(60)
final class ReconnectTest {
    private static final Duration AWAY = Duration.ofSeconds(11);

    /** gRPC alone would try again only after 4 s or more. */
    private static final Duration BACK_MAX = Duration.ofSeconds(4);

    @Test
    void bothAreReachedAsSoonAsTheyAreBack() throws Exception {
        try (StubCluster cluster = new StubCluster();
                Relay toPd = new Relay(cluster.port(0));
                Relay toStore = new Relay(cluster.port(1));
                KvStorage storage = open(cluster, toPd, toStore)) {
            long timestamp = storage.timestamp();
            while (!read(storage, timestamp)) {
                Thread.onSpinWait(); // the first one connects
            }
            toPd.cut();
            toStore.cut();
            for (long end = System.nanoTime() + AWAY.toNanos(); System.nanoTime() < end; ) {
                assertThat(hasTimestamp(storage)).isFalse();
                assertThat(read(storage, timestamp)).isFalse();
            }
            toStore.heal();
            toPd.heal();
            long healed = System.nanoTime();
            while (!hasTimestamp(storage) || !read(storage, timestamp)) {
                Thread.onSpinWait();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - healed)).isLessThan(BACK_MAX);
        }
    }

    private static KvStorage open(StubCluster cluster, Relay toPd, Relay toStore) {
        String map =
                String.format(
                        "127.0.0.1:%d=%s,127.0.0.1:%d=%s",
                        cluster.port(0), toPd.address(), cluster.port(1), toStore.address());
        return cluster.open(
                "pd-endpoints",
                toPd.address(),
                "address-map",
                map,
                "rpc-timeout-ms",
                "500",
                "read-timeout-ms",
                "500");
    }

    private static boolean hasTimestamp(KvStorage storage) {
        try {
            return storage.timestamp() > 0;
        } catch (StorageException unavailable) {
            return false;
        }
    }

    private static boolean read(KvStorage storage, long timestamp) {
        try (Snapshot snapshot = storage.snapshotAt(timestamp)) {
            return snapshot.get(Bytes.utf8("apple")) == null;
        } catch (StorageException unavailable) {
            return false;
        }
    }
}
