package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.CommitResult;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that another process left in the middle, or is in the middle of. */
@Tag("peer")
@Timeout(60)
final class LockResolverTest extends TwoProcesses {
    @Test
    void aReaderPassesALivingTransaction() {
        prewritten(LONG);
        long began = System.nanoTime();

        assertThat(alive.get(fence)).isEqualTo(bytes("0"));
        assertThat(alive.get(other)).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void whatAReaderPassedCommitsAfterItsTimestamp() {
        Transaction transaction = prewritten(LONG);
        long early = dead.now();
        long read = alive.now();
        assertThat(alive.getAt(other, read)).isNull();

        assertThatThrownBy(() -> transaction.commitPrimary(early, Inside.backoff()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(RefusedException.Reason.COMMIT_TS_EXPIRED));
        long commitTs = dead.now();
        transaction.commitPrimary(commitTs, Inside.backoff());

        assertThat(alive.getAt(other, read)).isNull();
        assertThat(alive.getAt(other, commitTs)).isEqualTo(bytes("1"));
    }

    @Test
    void aTransactionIsCommittedOnceItsPrimaryIs() {
        Transaction transaction = prewritten(LONG);
        transaction.commitPrimary(dead.now(), Inside.backoff());

        assertThat(alive.get(other)).isEqualTo(bytes("1"));
        assertThat(alive.get(fence)).isEqualTo(bytes("1"));
    }

    @Test
    void whatIsInThePrimarysRegionIsCommittedWithIt() {
        String near = fence + " near";
        WriteBatch batch = step("0", "1").put(bytes(near), bytes("1")).build();
        Transaction transaction = dead.begin(batch, LONG, 1 << 20);
        transaction.prewrite(Inside.backoff());
        transaction.commitPrimary(dead.now(), Inside.backoff());

        assertThat(alive.get(near)).isEqualTo(bytes("1"));
        assertThat(alive.get(fence)).isEqualTo(bytes("1"));
        assertThat(alive.counters.locksMet.sum()).isZero();
        assertThat(transaction.hasSecondaries()).isTrue(); // the test bed has regions from m and n
        assertThat(alive.get(other)).isEqualTo(bytes("1"));
        assertThat(alive.counters.locksMet.sum()).isPositive();
    }

    @Test
    void noMoreIsCommittedWithThePrimaryThanIsQuicklyDone() {
        WriteBatch.Builder batch = step("0", "1");
        for (int i = 0; i < 9; i++) {
            batch.put(bytes(fence + i), bytes("1"));
        }
        Transaction transaction = dead.begin(batch.build(), LONG, 1000);
        transaction.prewrite(Inside.backoff());
        long commitTs = dead.now();
        transaction.commitPrimary(commitTs, Inside.backoff());
        assertThat(transaction.hasSecondaries()).isTrue();
        transaction.commitSecondaries(commitTs, Inside.backoff());

        for (int i = 0; i < 9; i++) {
            assertThat(alive.get(fence + i)).isEqualTo(bytes("1"));
        }
        assertThat(alive.get(other)).isEqualTo(bytes("1"));
        assertThat(alive.counters.locksMet.sum()).isZero();
    }

    @Test
    void aWriterFinishesWhatWasCommittedBeforeItWrites() throws Exception {
        Transaction transaction = prewritten(LONG);
        transaction.commitPrimary(dead.now(), Inside.backoff());

        assertThat(commit(step("1", "2"))).isInstanceOf(CommitResult.Committed.class);
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void aWriterTakesOverOnceTheTimeOfADeadOneIsOver() throws Exception {
        Transaction transaction = prewritten(SHORT);

        assertThat(commit(step("0", "2"))).isInstanceOf(CommitResult.Committed.class);

        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.backoff()))
                .isInstanceOf(RefusedException.class);
        assertThat(alive.get(fence)).isEqualTo(bytes("2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void aPausedWriterCannotPrewriteOverAnothersCommit() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG);
        assertThat(commit(step("0", "2"))).isInstanceOf(CommitResult.Committed.class);

        assertThatThrownBy(() -> transaction.prewrite(Inside.backoff()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(RefusedException.Reason.CONFLICT));
    }

    @Test
    void resolvingRollsBackForGood() {
        Transaction transaction = prewritten(LONG);

        assertThat(
                        dead.locks.resolve(
                                transaction.primary(), transaction.startTs(), Inside.backoff()))
                .isZero();
        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.backoff()))
                .isInstanceOf(RefusedException.class);
        assertThat(
                        dead.locks.resolve(
                                transaction.primary(), transaction.startTs(), Inside.backoff()))
                .isZero();
        assertThat(alive.get(fence)).isEqualTo(bytes("0"));
    }

    @Test
    void resolvingTellsWhenItWasCommitted() {
        Transaction transaction = prewritten(LONG);
        long commitTs = dead.now();
        transaction.commitPrimary(commitTs, Inside.backoff());

        assertThat(
                        dead.locks.resolve(
                                transaction.primary(), transaction.startTs(), Inside.backoff()))
                .isEqualTo(commitTs);
    }

    @Test
    void aPrewriteThatArrivesLateLeavesNoLocksThatLast() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG);
        assertThat(
                        dead.locks.resolve(
                                transaction.primary(), transaction.startTs(), Inside.backoff()))
                .isZero();
        assertThatThrownBy(() -> transaction.prewrite(Inside.backoff()))
                .isInstanceOf(RefusedException.class);
        long began = System.nanoTime();

        assertThat(commit(step("0", "2"))).isInstanceOf(CommitResult.Committed.class);
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void abandonedLocksOfOurOwnAreNotWaitedFor() {
        Transaction transaction = prewritten(LONG);
        dead.locks.abandon(transaction.startTs());
        Transaction next = dead.begin(step("0", "2").build(), LONG);

        next.prewrite(Inside.backoff());
        next.commitPrimary(dead.now(), Inside.backoff());

        assertThat(alive.get(fence)).isEqualTo(bytes("2"));
    }

    @Test
    void aWriterWaitsForATransactionThatExtendsItsLock() throws Exception {
        Transaction transaction = prewritten(SHORT);
        for (long end = System.nanoTime() + 3 * SHORT.toNanos(); System.nanoTime() < end; ) {
            transaction.extendLock(Inside.backoff());
            TimeUnit.MILLISECONDS.sleep(SHORT.toMillis() / 10);
        }
        Transaction rival = alive.begin(step("0", "2").build(), LONG);

        assertThatThrownBy(() -> rival.prewrite(Inside.backoff()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(RefusedException.Reason.LOCKED));
        transaction.commitPrimary(dead.now(), Inside.backoff());
        assertThat(alive.get(fence)).isEqualTo(bytes("1"));
    }
}
