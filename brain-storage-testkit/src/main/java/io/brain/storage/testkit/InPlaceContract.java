package io.brain.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commits that may run on the caller's thread, alone and concurrent with others. */
interface InPlaceContract extends StoreUnderTest {
    private CommitResult inPlace(WriteBatch.Builder batch) {
        return await(store().commitInPlace(batch.build()));
    }

    @Test
    default void aCommitInPlaceIsSeenOnceItIsAnswered() {
        long before = put("k", "1");
        CommitResult end = inPlace(batch().put(bytes("k"), bytes("2")).delete(bytes("other")));

        assertThat(((CommitResult.Committed) end).timestamp()).isGreaterThan(before);
        assertThat(get("k")).isEqualTo("2");
        assertThat(put("k", "3")).isGreaterThan(((CommitResult.Committed) end).timestamp());
    }

    @Test
    default void aConflictInPlaceIsToldAndChangesNothing() {
        put("k", "1");
        CommitResult end =
                inPlace(
                        batch().putIfAbsent(bytes("k"), bytes("2"))
                                .put(bytes("other"), bytes("2")));

        assertThat(end).isEqualTo(new CommitResult.Conflict(bytes("k"), Optional.of(bytes("1"))));
        assertThat(get("other")).isNull();
    }

    @Test
    default void whatWasCommittedInPlaceCanBeResolved() {
        WriteBatch batch = batch().putIfAbsent(bytes("fence"), bytes("1")).build();
        assertThat(await(store().commitInPlace(batch))).isInstanceOf(CommitResult.Committed.class);
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    default void commitsInPlaceAndOthersLoseNothingOfEachOther() {
        put("counter", "0");
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean inPlace = i % 2 == 0;
            threads.add(CompletableFuture.runAsync(() -> count(25, inPlace)));
        }
        threads.forEach(CompletableFuture::join);

        assertThat(get("counter")).isEqualTo("100");
    }

    private void count(int times, boolean inPlace) {
        Bytes me = bytes("counts " + Thread.currentThread().getId());
        for (int done = 0; done < times; ) {
            Bytes old = bytes(get("counter"));
            Bytes next = bytes("" + (Integer.parseInt(text(old)) + 1));
            WriteBatch batch =
                    batch().compareAndSet(bytes("counter"), old, next).put(me, next).build();
            CommitResult end =
                    await(inPlace ? store().commitInPlace(batch) : store().commit(batch));
            done += end instanceof CommitResult.Committed ? 1 : 0;
        }
    }

    @Test
    default void aClosedStoreRefusesACommitInPlace() {
        store().close();

        assertThat(inPlace(batch().put(bytes("k"), bytes("1"))))
                .isInstanceOfSatisfying(
                        CommitResult.Unavailable.class,
                        end -> assertThat(end.cause().kind()).isEqualTo(Kind.CLOSED));
    }

    @Test
    default void closeAndCommitInPlaceMayRace() throws Exception {
        closeMayRaceWith(batch -> store().commitInPlace(batch.build()));
    }
}
