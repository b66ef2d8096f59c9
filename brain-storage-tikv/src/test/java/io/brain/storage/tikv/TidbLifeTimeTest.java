package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.Pdpb.ResponseHeader;
import io.brain.proto.tikv.Pdpb.UpdateServiceGCSafePointResponse;
import io.brain.storage.tikv.client.TikvSettings;
import io.brain.storage.tikv.client.TimestampOracle;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much a process with a long life time protects where TiDB has tables. */
@Timeout(60)
final class TidbLifeTimeTest {
    private static final Duration LIFE_TIME = Duration.ofHours(1);
    private static final Duration TIDB_LIFE_TIME = Duration.ofMinutes(10);

    /** What is reported to PD, in order. */
    private final BlockingQueue<Long> reports = new LinkedBlockingQueue<>();

    private final OpenReads reads = new OpenReads();
    private StubCluster cluster;
    private Inside inside;
    private SafePoint safePoint;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        cluster.answer(
                0,
                PDGrpc.getUpdateServiceGCSafePointMethod(),
                request -> {
                    reports.add(request.getSafePoint());
                    return UpdateServiceGCSafePointResponse.newBuilder()
                            .setHeader(ResponseHeader.getDefaultInstance())
                            .setMinSafePoint(request.getSafePoint())
                            .build();
                });
        inside = new Inside(cluster.options());
    }

    @AfterEach
    void close() throws Exception {
        safePoint.close();
        inside.close();
        cluster.close();
    }

    private void start(boolean tidb) {
        safePoint =
                new SafePoint(
                        new TikvSettings.Gc(false, Duration.ofMillis(20), LIFE_TIME),
                        inside.cluster.clock(),
                        inside.cluster.safePoints(),
                        null,
                        () -> tidb,
                        reads,
                        inside.counters);
        safePoint.start();
    }

    /** What the second round reports: the first one learns of the tables. */
    private long report() throws Exception {
        assertThat(reports.poll(30, TimeUnit.SECONDS)).isNotNull();
        Long reported = reports.poll(30, TimeUnit.SECONDS);
        assertThat(reported).isNotNull();
        return reported;
    }

    /** The timestamp that is older than this PD's time, which stands still, by as much. */
    private long before(Duration age) {
        return TimestampOracle.before(inside.now(), age);
    }

    @Test
    void whereTidbHasTablesNoMoreThanItsLifeTimeIsProtected() throws Exception {
        start(true);
        assertThat(report()).isEqualTo(before(TIDB_LIFE_TIME));
    }

    @Test
    void elsewhereTheWholeLifeTimeIsProtected() throws Exception {
        start(false);
        assertThat(report()).isEqualTo(before(LIFE_TIME));
    }

    @Test
    void anOpenReadIsProtectedHoweverOldItIs() throws Exception {
        long old = before(TIDB_LIFE_TIME.multipliedBy(3));
        reads.add(old);
        start(true);
        assertThat(report()).isEqualTo(old);
    }
}
