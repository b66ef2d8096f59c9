package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.tikv.client.TimestampOracle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** PD's safe point follows what is read, and never overtakes it; with short times for all. */
@Tag("peer")
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SafePointTest {
    /** What is told to PD holds for three intervals, in whole seconds: one. */
    private static final String[] QUICK = {"gc-interval-ms", "200", "gc-life-time-ms", "500"};

    /** The same for three seconds, which a busy machine does not miss. */
    private static final String[] QUICK_FOLLOWER = {
        "gc-interval-ms", "1000", "gc-life-time-ms", "500", "gc", "false"
    };

    private static final long HELD_MILLIS = 2500;
    private static final int TRIES_MAX = 300;

    /** Many times what one request lists. */
    private static final int MANY = 20_000;

    private static final String FAILURES = "safe_point_failures";

    private static TestBed bed;

    private final String key = "safe point " + UUID.randomUUID();
    private final String other = "other " + UUID.randomUUID();

    /** Looks at PD, and leaves transactions in the middle. */
    private Inside inside;

    /** The one that moves the safe point. */
    private KvStorage leader;

    private int written;

    @BeforeAll
    static void startTestBed(@TempDir Path directory) {
        bed = TestBed.start(directory);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    @BeforeEach
    void openStorage() throws Exception {
        inside = new Inside(bed.options());
        leader = bed.open(QUICK);
        write();
    }

    @AfterEach
    void closeStorage() {
        leader.close();
        inside.close();
    }

    private static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    /** Another value of the key, committed by whoever moves the safe point. */
    private void write() throws Exception {
        commit(WriteBatch.builder().put(bytes(key), bytes("" + written++)).build());
    }

    private void commit(WriteBatch batch) throws Exception {
        assertThat(leader.commit(batch).toCompletableFuture().get(1, TimeUnit.MINUTES))
                .isInstanceOf(CommitResult.Committed.class);
    }

    private long safePoint() {
        return inside.cluster.safePoints().current();
    }

    /** Writes on until it is so; false if that takes too long. */
    private boolean comes(BooleanSupplier what) throws Exception {
        for (int i = 0; i < TRIES_MAX; i++) {
            write();
            if (what.getAsBoolean()) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return false;
    }

    private boolean passes(long timestamp) throws Exception {
        return comes(() -> safePoint() > timestamp);
    }

    /** Writes on for a while in which the safe point could move five times. */
    private void staysAtMost(long timestamp) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HELD_MILLIS);
        while (System.nanoTime() < end) {
            write();
            assertThat(safePoint()).isLessThanOrEqualTo(timestamp);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private boolean isRefused(Snapshot snapshot) {
        try {
            var unused = snapshot.get(bytes(key));
            return false;
        } catch (StorageException refused) {
            return true;
        }
    }

    private static void isRefused(Snapshot snapshot, String key) {
        assertThatThrownBy(() -> snapshot.get(bytes(key)))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        e -> assertThat(e.kind()).isEqualTo(StorageException.Kind.UNAVAILABLE))
                .hasMessageContaining("may have been removed");
    }

    @Test
    void whoCommitsMovesItUpToTheLifeTime() throws Exception {
        long now = inside.now();
        assertThat(passes(now)).isTrue();
        long life = TimestampOracle.before(inside.now(), Duration.ofMillis(500));
        assertThat(safePoint()).isLessThanOrEqualTo(life);
        assertThat(leader.stats().get("safe_point_moves")).isPositive();
        assertThat(leader.stats().get("safe_point_age_ms")).isBetween(400L, 60_000L);
    }

    @Test
    void whoDoesNotCommitMovesNothing() throws Exception {
        assertThat(passes(inside.now())).isTrue();
        TimeUnit.MILLISECONDS.sleep(HELD_MILLIS); // a round may have begun
        long before = safePoint();
        TimeUnit.MILLISECONDS.sleep(1500);
        assertThat(safePoint()).isEqualTo(before);
    }

    @Test
    void whereAnotherServiceOwnsItNothingIsMoved() throws Exception {
        try (KvStorage writer = bed.open(QUICK_FOLLOWER)) {
            leader.close();
            leader = writer;
            write();
            long before = safePoint();
            staysAtMost(before);
        }
    }

    @Test
    void anOpenSnapshotHoldsItAndIsReadable() throws Exception {
        long opened = inside.now();
        String seen = "" + (written - 1);
        try (Snapshot snapshot = leader.snapshotAt(opened)) {
            staysAtMost(opened);
            assertThat(snapshot.get(bytes(key))).isEqualTo(bytes(seen));
        }
        assertThat(passes(opened)).isTrue();
    }

    @Test
    void aSnapshotOfAnotherProcessHoldsItToo() throws Exception {
        try (KvStorage follower = bed.open(QUICK_FOLLOWER)) {
            long opened = inside.now();
            String seen = "" + (written - 1);
            try (Snapshot snapshot = follower.snapshotAt(opened)) {
                staysAtMost(opened);
                assertThat(snapshot.get(bytes(key))).isEqualTo(bytes(seen));
            }
            assertThat(passes(opened)).isTrue();
        }
    }

    @Test
    void anotherServiceHoldsIt() throws Exception {
        long held = inside.now();
        inside.cluster.safePoints().hold("backup", 60, held);
        staysAtMost(held);
        inside.cluster.safePoints().hold("backup", 0, 0);
        assertThat(passes(held)).isTrue();
    }

    @Test
    void aClosedProcessLetsGo() throws Exception {
        KvStorage slow = bed.open("gc-interval-ms", "60000", "gc-life-time-ms", "500");
        long now = inside.now();
        staysAtMost(now);
        slow.close();
        assertThat(passes(now)).isTrue();
    }

    @Test
    void locksThatAreOlderAreResolvedFirst() throws Exception {
        Transaction committed = dead(Duration.ofMillis(100), key + "/a", other + "/a");
        committed.commitPrimary(inside.now(), Inside.backoff());
        dead(Duration.ofMillis(100), key + "/b", other + "/b");

        assertThat(passes(inside.now())).isTrue();

        // With /b's status its primary's lock is resolved, if that is in a page of its own.
        assertThat(leader.stats().get("swept_locks")).isGreaterThanOrEqualTo(2);
        long met = inside.counters.locksMet.sum();
        assertThat(inside.get(other + "/a")).isEqualTo(bytes("1"));
        assertThat(inside.get(key + "/b")).isNull();
        assertThat(inside.get(other + "/b")).isNull();
        assertThat(inside.counters.locksMet.sum()).isEqualTo(met);
    }

    @Test
    void aLivingTransactionHoldsItAndIsLeftAlone() throws Exception {
        Transaction living = dead(Duration.ofMinutes(5), key + "/c", other + "/c");

        staysAtMost(living.startTs() - 1);
        living.commitPrimary(inside.now(), Inside.backoff());

        assertThat(passes(inside.now())).isTrue();
        assertThat(inside.get(other + "/c")).isEqualTo(bytes("1"));
    }

    @Test
    void manyOlderLocksAreResolvedInOneRound() throws Exception {
        WriteBatch.Builder batch = WriteBatch.builder().put(bytes(key + "/d"), bytes("1"));
        for (int i = 0; i < MANY; i++) {
            batch.put(bytes(other + "/d" + i), bytes("1"));
        }
        inside.begin(batch.build(), Duration.ofMillis(100)).prewrite(Inside.backoff());

        assertThat(passes(inside.now())).isTrue();

        assertThat(leader.stats().get("swept_locks")).isGreaterThanOrEqualTo(MANY);
        assertThat(inside.get(other + "/d" + (MANY - 1))).isNull();
    }

    @Test
    void whereTidbHasTablesNothingIsMoved() throws Exception {
        Bytes row = Bytes.wrap(new byte[] {'t', (byte) 0x80, 0, 0, 0, 0, 0, 0, 1, '_', 'r'});
        commit(WriteBatch.builder().put(row, bytes("1")).build());
        TimeUnit.MILLISECONDS.sleep(HELD_MILLIS); // a round may have begun
        staysAtMost(safePoint());

        commit(WriteBatch.builder().delete(row).build());
        assertThat(passes(inside.now())).isTrue();
    }

    private Transaction dead(Duration lockTtl, String primary, String secondary) {
        WriteBatch batch =
                WriteBatch.builder()
                        .put(bytes(primary), bytes("1"))
                        .put(bytes(secondary), bytes("1"))
                        .build();
        Transaction transaction = inside.begin(batch, lockTtl);
        transaction.prewrite(Inside.backoff());
        return transaction;
    }

    @Test
    void whoCannotReportReadsNothingOldAndIsNotWaitedFor() throws Exception {
        try (Links links = new Links(bed);
                KvStorage cutOff = bed.open(links.options(QUICK_FOLLOWER))) {
            long opened = inside.now();
            String seen = "" + (written - 1);
            try (Snapshot snapshot = cutOff.snapshotAt(opened)) {
                assertThat(snapshot.get(bytes(key))).isEqualTo(bytes(seen));
                staysAtMost(opened);
                links.toPd().cut();
                assertThat(passes(opened)).isTrue();
                isRefused(snapshot, key);

                links.toPd().heal();
                TimeUnit.MILLISECONDS.sleep(3000);
                isRefused(snapshot, key);
            }
            try (Snapshot snapshot = cutOff.snapshotAt(inside.now())) {
                assertThat(snapshot.get(bytes(key))).isNotEqualTo(bytes(seen)).isNotNull();
            }
        }
    }

    /** Last: a PD that had to become leader again goes on up to three seconds in the future. */
    @Test
    @Order(Integer.MAX_VALUE)
    void whileItIsNotMovedOldSnapshotsAreReadableAgainOncePdAnswers() throws Exception {
        leader.close();
        try (KvStorage alone = bed.open(QUICK_FOLLOWER);
                Snapshot snapshot = alone.snapshotAt(inside.now())) {
            assertThat(snapshot.get(bytes(key))).isNotNull();
            bed.stallPd();
            try {
                for (int i = 0; i < TRIES_MAX && !isRefused(snapshot); i++) {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
                isRefused(snapshot, key);
                // Counted when the storage's own try is given up, which may have begun late.
                for (int i = 0; i < TRIES_MAX && alone.stats().get(FAILURES) == 0; i++) {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
                assertThat(alone.stats().get(FAILURES)).isPositive();
            } finally {
                bed.resumePd();
            }
            boolean readable = false;
            for (int i = 0; i < 60 && !readable; i++) {
                TimeUnit.MILLISECONDS.sleep(500);
                try {
                    readable = snapshot.get(bytes(key)) != null;
                } catch (StorageException notYet) {
                    assertThat(notYet.kind()).isEqualTo(StorageException.Kind.UNAVAILABLE);
                }
            }
            assertThat(readable).isTrue();
        }
    }
}
