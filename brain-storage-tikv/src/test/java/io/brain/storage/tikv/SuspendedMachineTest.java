package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.Pdpb.ResponseHeader;
import io.brain.proto.tikv.Pdpb.UpdateServiceGCSafePointResponse;
import io.brain.storage.StorageException;
import io.brain.storage.tikv.client.TikvSettings;
import io.brain.storage.tikv.client.TimestampOracle;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A machine was suspended while another server moved PD's safe point. */
@Timeout(60)
final class SuspendedMachineTest {
    private static final Duration LIFE_TIME = Duration.ofMinutes(10);
    private static final Duration SUSPENDED = Duration.ofHours(1);

    private final OpenReads reads = new OpenReads();
    private final AtomicLong suspendedMillis = new AtomicLong();
    private final AtomicLong least = new AtomicLong();
    private final CountDownLatch held = new CountDownLatch(1);
    private StubCluster cluster;
    private Inside inside;
    private SafePoint safePoint;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        cluster.answer(
                0,
                PDGrpc.getUpdateServiceGCSafePointMethod(),
                request ->
                        UpdateServiceGCSafePointResponse.newBuilder()
                                .setHeader(ResponseHeader.getDefaultInstance())
                                .setMinSafePoint(Math.max(least.get(), request.getSafePoint()))
                                .build());
        inside =
                new Inside(
                        cluster.options(),
                        () -> System.currentTimeMillis() + suspendedMillis.get());
        safePoint =
                new SafePoint(
                        new TikvSettings.Gc(false, Duration.ofMinutes(10), LIFE_TIME),
                        inside.cluster.clock(),
                        inside.cluster.safePoints(),
                        null,
                        () -> {
                            held.countDown();
                            return false;
                        },
                        reads,
                        inside.counters);
    }

    @AfterEach
    void close() throws Exception {
        safePoint.close();
        inside.close();
        cluster.close();
    }

    /** System.nanoTime stands still meanwhile. */
    private void suspend() {
        cluster.pass(SUSPENDED);
        suspendedMillis.addAndGet(SUSPENDED.toMillis());
        long now = (System.currentTimeMillis() + suspendedMillis.get()) << 18;
        least.set(TimestampOracle.before(now, LIFE_TIME));
    }

    private void isRefused(long timestamp) {
        assertThatThrownBy(() -> safePoint.check(timestamp))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("may have been removed");
    }

    @Test
    void aTimestampFromBeforeIsRefused() {
        long before = inside.now();
        safePoint.check(before);
        suspend();
        isRefused(before);
        long after = inside.now();
        assertThatCode(() -> safePoint.check(after)).doesNotThrowAnyException();
        isRefused(before);
    }

    @Test
    void whatPdHeldBeforeIsNoLongerHeld() throws Exception {
        long old = TimestampOracle.before(inside.now(), LIFE_TIME);
        reads.add(old);
        safePoint.start();
        assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
        safePoint.check(old);
        suspend();
        inside.now();
        isRefused(old);
    }
}
