package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transactions that another process left in the middle, or is in the middle of. */
@Tag("peer")
@Timeout(60)
final class LocksTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(500);

    private static TestBed bed;

    private final String fence = "fence " + UUID.randomUUID();
    private final String other = "other " + UUID.randomUUID();

    /** The process that stops. */
    private Inside dead;

    /** The one that goes on. */
    private Inside alive;

    private KvStorage storage;

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
    void openBoth() throws Exception {
        dead = new Inside(bed.options());
        alive = new Inside(bed.options());
        storage = bed.open();
        assertThat(commit(WriteBatch.builder().put(bytes(fence), bytes("0"))))
                .isInstanceOf(CommitResult.Committed.class);
    }

    @AfterEach
    void closeBoth() {
        storage.close();
        alive.close();
        dead.close();
    }

    private static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    private CommitResult commit(WriteBatch.Builder batch) throws Exception {
        return storage.commit(batch.build()).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private WriteBatch.Builder step(String from, String to) {
        return WriteBatch.builder()
                .compareAndSet(bytes(fence), bytes(from), bytes(to))
                .put(bytes(other), bytes(to));
    }

    private Transaction prewritten(Duration lockTtl) {
        Transaction transaction = dead.begin(step("0", "1").build(), lockTtl);
        transaction.prewrite(Inside.patience());
        return transaction;
    }

    @Test
    void aReaderPassesALivingTransaction() {
        prewritten(LONG);
        long began = System.nanoTime();

        assertThat(alive.get(fence)).isEqualTo(bytes("0"));
        assertThat(alive.get(other)).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void whatAReaderPassedCommitsAfterItsTimestamp() {
        Transaction transaction = prewritten(LONG);
        long early = dead.now();
        long read = alive.now();
        assertThat(alive.getAt(other, read)).isNull();

        assertThatThrownBy(() -> transaction.commitPrimary(early, Inside.patience()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(RefusedException.Reason.COMMIT_TS_EXPIRED));
        long commitTs = dead.now();
        transaction.commitPrimary(commitTs, Inside.patience());

        assertThat(alive.getAt(other, read)).isNull();
        assertThat(alive.getAt(other, commitTs)).isEqualTo(bytes("1"));
    }

    @Test
    void aTransactionIsCommittedOnceItsPrimaryIs() {
        Transaction transaction = prewritten(LONG);
        transaction.commitPrimary(dead.now(), Inside.patience());

        assertThat(alive.get(other)).isEqualTo(bytes("1"));
        assertThat(alive.get(fence)).isEqualTo(bytes("1"));
    }

    @Test
    void aWriterFinishesWhatWasCommittedBeforeItWrites() throws Exception {
        Transaction transaction = prewritten(LONG);
        transaction.commitPrimary(dead.now(), Inside.patience());

        assertThat(commit(step("1", "2"))).isInstanceOf(CommitResult.Committed.class);
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void aWriterTakesOverOnceTheTimeOfADeadOneIsOver() throws Exception {
        Transaction transaction = prewritten(SHORT);

        assertThat(commit(step("0", "2"))).isInstanceOf(CommitResult.Committed.class);

        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.patience()))
                .isInstanceOf(RefusedException.class);
        assertThat(alive.get(fence)).isEqualTo(bytes("2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void aPausedWriterCannotPrewriteOverAnothersCommit() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG);
        assertThat(commit(step("0", "2"))).isInstanceOf(CommitResult.Committed.class);

        assertThatThrownBy(() -> transaction.prewrite(Inside.patience()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(RefusedException.Reason.CONFLICT));
    }

    @Test
    void settlingRollsBackForGood() {
        Transaction transaction = prewritten(LONG);

        assertThat(
                        dead.locks.settle(
                                transaction.primary(), transaction.startTs(), Inside.patience()))
                .isZero();
        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.patience()))
                .isInstanceOf(RefusedException.class);
        assertThat(
                        dead.locks.settle(
                                transaction.primary(), transaction.startTs(), Inside.patience()))
                .isZero();
        assertThat(alive.get(fence)).isEqualTo(bytes("0"));
    }

    @Test
    void settlingTellsWhenItWasCommitted() {
        Transaction transaction = prewritten(LONG);
        long commitTs = dead.now();
        transaction.commitPrimary(commitTs, Inside.patience());

        assertThat(
                        dead.locks.settle(
                                transaction.primary(), transaction.startTs(), Inside.patience()))
                .isEqualTo(commitTs);
    }

    @Test
    void aPrewriteThatArrivesLateLeavesNoLocksThatLast() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG);
        assertThat(
                        dead.locks.settle(
                                transaction.primary(), transaction.startTs(), Inside.patience()))
                .isZero();
        assertThatThrownBy(() -> transaction.prewrite(Inside.patience()))
                .isInstanceOf(RefusedException.class);
        long began = System.nanoTime();

        assertThat(commit(step("0", "2"))).isInstanceOf(CommitResult.Committed.class);
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void abandonedLocksOfOurOwnAreNotWaitedFor() {
        Transaction transaction = prewritten(LONG);
        dead.locks.abandon(transaction.startTs());
        Transaction next = dead.begin(step("0", "2").build(), LONG);

        next.prewrite(Inside.patience());
        next.commitPrimary(dead.now(), Inside.patience());

        assertThat(alive.get(fence)).isEqualTo(bytes("2"));
    }

    private void evict(String primary) throws Exception {
        storage.evict(bytes(primary)).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private void commitsAtOnce(WriteBatch.Builder batch) throws Exception {
        long began = System.nanoTime();
        assertThat(commit(batch)).isInstanceOf(CommitResult.Committed.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void anEvictedOwnerIsNotWaitedForAndNeverCommits() throws Exception {
        Transaction transaction = prewritten(LONG);

        evict(fence);

        commitsAtOnce(step("0", "2"));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.patience()))
                    .isInstanceOf(RefusedException.class);
        }
        assertThatThrownBy(() -> transaction.prewrite(Inside.patience()))
                .isInstanceOf(RefusedException.class);
        assertThat(alive.get(fence)).isEqualTo(bytes("2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void whatAnEvictedOwnerHadCommittedStays() throws Exception {
        Transaction transaction = prewritten(LONG);
        transaction.commitPrimary(dead.now(), Inside.patience());

        evict(fence);

        assertThat(alive.get(other)).isEqualTo(bytes("1"));
        commitsAtOnce(step("1", "2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void whatAReaderPushedIsEvictedToo() throws Exception {
        Transaction transaction = prewritten(LONG);
        assertThat(alive.get(other)).isNull();
        assertThat(alive.get(fence)).isEqualTo(bytes("0"));

        evict(fence);

        commitsAtOnce(step("0", "2"));
        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.patience()))
                .isInstanceOf(RefusedException.class);
    }

    /** The primary's prewrite did not arrive: the secondary's lock has nothing to point at. */
    @Test
    void orphanLocksOfAnEvictedOwnerAreNotWaitedFor() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG);
        dead.orphan(transaction, other, "1", LONG);

        evict(fence);

        commitsAtOnce(step("0", "2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.patience()))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void anEvictionLeavesOtherPrimariesAlone() throws Exception {
        Transaction transaction = prewritten(LONG);

        evict(other);
        evict("nothing " + fence);
        transaction.commitPrimary(dead.now(), Inside.patience());

        assertThat(alive.get(fence)).isEqualTo(bytes("1"));
        assertThat(alive.get(other)).isEqualTo(bytes("1"));
    }

    @Test
    void anEvictionWithoutAStoreFailsInTime() {
        try (KvStorage impatient = bed.open("rpc-timeout-ms", "300", "commit-timeout-ms", "1000")) {
            bed.stallStore();
            try {
                assertThatThrownBy(
                                () ->
                                        impatient
                                                .evict(bytes(fence))
                                                .toCompletableFuture()
                                                .get(15, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(StorageException.class)
                        .satisfies(
                                e ->
                                        assertThat(((StorageException) e.getCause()).kind())
                                                .isEqualTo(StorageException.Kind.UNAVAILABLE));
            } finally {
                bed.resumeStore();
            }
        }
    }

    @Test
    void aClosedStorageEvictsNobody() {
        KvStorage closed = bed.open();
        closed.close();
        assertThat(closed.evict(bytes(fence)).toCompletableFuture()).isCompletedExceptionally();
    }
}
