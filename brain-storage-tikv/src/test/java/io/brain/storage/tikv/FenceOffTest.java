package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A candidate ends what the owner of a fence has on its way. */
@Tag("peer")
@Timeout(60)
final class FenceOffTest extends TwoProcesses {
    private void fenceOff(String primary) throws Exception {
        storage.fenceOff(List.of(bytes(primary))).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private void commitsAtOnce(WriteBatch.Builder batch) throws Exception {
        long began = System.nanoTime();
        assertThat(commit(batch)).isInstanceOf(CommitResult.Committed.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aFencedOffOwnerIsNotWaitedForAndNeverCommits() throws Exception {
        Transaction transaction = prewritten(LONG);

        fenceOff(fence);

        commitsAtOnce(step("0", "2"));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.backoff()))
                    .isInstanceOf(RefusedException.class);
        }
        assertThatThrownBy(() -> transaction.prewrite(Inside.backoff()))
                .isInstanceOf(RefusedException.class);
        assertThat(alive.get(fence)).isEqualTo(bytes("2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void whatAFencedOffOwnerHadCommittedStays() throws Exception {
        Transaction transaction = prewritten(LONG);
        transaction.commitPrimary(dead.now(), Inside.backoff());

        fenceOff(fence);

        assertThat(alive.get(other)).isEqualTo(bytes("1"));
        commitsAtOnce(step("1", "2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
    }

    @Test
    void whatAReaderPushedIsFencedOffToo() throws Exception {
        Transaction transaction = prewritten(LONG);
        assertThat(alive.get(other)).isNull();
        assertThat(alive.get(fence)).isEqualTo(bytes("0"));

        fenceOff(fence);

        commitsAtOnce(step("0", "2"));
        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.backoff()))
                .isInstanceOf(RefusedException.class);
    }

    /** The primary's prewrite did not arrive: the secondary's lock has nothing to point at. */
    @Test
    void orphanLocksOfAFencedOffOwnerAreNotWaitedFor() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG);
        dead.orphan(transaction, other, "1", LONG);

        fenceOff(fence);

        commitsAtOnce(step("0", "2"));
        assertThat(alive.get(other)).isEqualTo(bytes("2"));
        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.backoff()))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void fencingOffLeavesOtherPrimariesAlone() throws Exception {
        Transaction transaction = prewritten(LONG);

        fenceOff(other);
        fenceOff("nothing " + fence);
        transaction.commitPrimary(dead.now(), Inside.backoff());

        assertThat(alive.get(fence)).isEqualTo(bytes("1"));
        assertThat(alive.get(other)).isEqualTo(bytes("1"));
    }

    @Test
    void fencingOffWithoutAStoreFailsInTime() {
        try (KvStorage impatient = bed.open("rpc-timeout-ms", "300", "commit-timeout-ms", "1000")) {
            bed.stallStore();
            try {
                assertThatThrownBy(
                                () ->
                                        impatient
                                                .fenceOff(List.of(bytes(fence)))
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
    void aClosedStorageFencesOffNoOtherProcess() {
        KvStorage closed = bed.open();
        closed.close();
        assertThat(closed.fenceOff(List.of(bytes(fence))).toCompletableFuture())
                .isCompletedExceptionally();
    }

    @Test
    void aFencedOffOwnersRegionIsNotCommittedInPart() throws Exception {
        Transaction transaction = dead.begin(step("0", "1").build(), LONG, 1 << 20);
        transaction.prewrite(Inside.backoff());

        fenceOff(fence);

        assertThatThrownBy(() -> transaction.commitPrimary(dead.now(), Inside.backoff()))
                .isInstanceOf(RefusedException.class);
        assertThat(alive.get(fence)).isEqualTo(bytes("0"));
        assertThat(alive.get(other)).isNull();
    }
}
