package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.GetResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member of PD takes requests and answers none. */
@Timeout(120)
final class PdFailoverTest {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(3);

    /** So many that a member asked first, in random order, would be the silent one. */
    private static final int STARTS = 12;

    @Test
    void aRegionIsLocatedSoonAfterPdHasAnotherLeader() throws Exception {
        try (StubCluster cluster = new StubCluster(3);
                KvStorage storage = cluster.open("read-timeout-ms", "" + READ_TIMEOUT.toMillis())) {
            long timestamp = storage.timestamp();
            read(storage, timestamp, "apple");
            cluster.silencePd(0);
            moveRegionOnce(cluster);

            long silent = System.nanoTime();
            assertThatThrownBy(() -> read(storage, timestamp, "apple"))
                    .isInstanceOf(StorageException.class);
            assertThat(since(silent)).isLessThan(READ_TIMEOUT.plusSeconds(4));

            cluster.leadPd(1);
            long led = System.nanoTime();
            read(storage, timestamp, "apple");
            assertThat(since(led)).isLessThan(READ_TIMEOUT.plusSeconds(4));
        }
    }

    /** The store refuses one read, and the region has to be located. */
    private static void moveRegionOnce(StubCluster cluster) {
        AtomicInteger asked = new AtomicInteger();
        Errorpb.Error moved =
                Errorpb.Error.newBuilder()
                        .setMessage("refused by the test")
                        .setNotLeader(Errorpb.NotLeader.getDefaultInstance())
                        .build();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request ->
                        asked.getAndIncrement() == 0
                                ? GetResponse.newBuilder().setRegionError(moved).build()
                                : GetResponse.getDefaultInstance());
    }

    private static void read(KvStorage storage, long timestamp, String key) {
        try (Snapshot snapshot = storage.snapshotAt(timestamp)) {
            assertThat(snapshot.get(Bytes.utf8(key))).isNull();
        }
    }

    @Test
    void otherRegionsOfASlowStoreAreReadWithoutPd() throws Exception {
        try (StubCluster cluster = new StubCluster();
                KvStorage storage =
                        cluster.open("rpc-timeout-ms", "1000", "read-timeout-ms", "3000")) {
            long timestamp = storage.timestamp();
            read(storage, timestamp, "apple");
            read(storage, timestamp, "zone");
            cluster.silencePd(0);
            cluster.answer(
                    1,
                    TikvGrpc.getKvGetMethod(),
                    request ->
                            request.getContext().getRegionId() == 1
                                    ? null
                                    : GetResponse.getDefaultInstance());

            assertThatThrownBy(() -> read(storage, timestamp, "apple"))
                    .isInstanceOf(StorageException.class);
            read(storage, timestamp, "zone");
        }
    }

    @Test
    void aStorageOpensWithoutASilentPd() throws Exception {
        try (StubCluster cluster = new StubCluster(3)) {
            cluster.leadPd(1);
            cluster.silencePd(0);
            for (int i = 0; i < STARTS; i++) {
                long start = System.nanoTime();
                cluster.open().close();
                assertThat(since(start)).isLessThan(Duration.ofSeconds(8));
            }
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
