package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Close, calls after it, and the hint to free the space of deleted data. */
interface LifeContract extends StoreUnderTest {
    /** Closes on another thread; returns once the store refuses calls. */
    private CompletableFuture<Void> closeBegun() throws InterruptedException {
        CompletableFuture<Void> closed = CompletableFuture.runAsync(store()::close);
        for (int i = 0; i < 6000; i++) {
            try {
                store().timestamp();
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (StorageException e) {
                assertThat(e.kind()).isEqualTo(Kind.CLOSED);
                return closed;
            }
        }
        throw new AssertionError("close does not begin");
    }

    @Test
    default void aClosedStoreRefusesEveryCall() {
        WriteBatch batch = batch().putIfAbsent(bytes("k"), bytes("1")).build();
        store().close();

        assertThat(refusal(store()::snapshot)).isEqualTo(Kind.CLOSED);
        assertThat(refusal(store()::timestamp)).isEqualTo(Kind.CLOSED);
        assertThat(await(store().commit(batch)))
                .isInstanceOfSatisfying(
                        CommitResult.Unavailable.class,
                        end -> assertThat(end.cause().kind()).isEqualTo(Kind.CLOSED));
        assertThat(await(store().resolve(batch)))
                .isInstanceOfSatisfying(
                        CommitResult.Uncertain.class,
                        end -> assertThat(end.cause().kind()).isEqualTo(Kind.CLOSED));
    }

    @Test
    default void closingTwiceChangesNothing() {
        put("k", "1");
        store().close();
        store().close();

        assertThat(refusal(store()::snapshot)).isEqualTo(Kind.CLOSED);
    }

    @Test
    default void closeWaitsForAnOpenSnapshot() throws Exception {
        put("k", "1");
        Snapshot snapshot = store().snapshot();
        CompletableFuture<Void> closed = closeBegun();

        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(closed).isNotDone();
        snapshot.close();
        closed.get(1, TimeUnit.MINUTES);
    }

    @Test
    default void closeWaitsForAnOpenCursor() throws Exception {
        put("k", "1");
        Snapshot snapshot = store().snapshot();
        Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD);
        CompletableFuture<Void> closed = closeBegun();

        snapshot.close();
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(closed).isNotDone();
        cursor.close();
        closed.get(1, TimeUnit.MINUTES);
    }

    @Test
    default void openReadersLearnThatTheStoreCloses() throws Exception {
        putAll("a", "b");
        CompletableFuture<Void> closed;
        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            assertThat(cursor.next()).isTrue();
            closed = closeBegun();

            assertThat(refusal(() -> snapshot.get(bytes("a")))).isEqualTo(Kind.CLOSED);
            assertThat(refusal(() -> snapshot.get(List.of(bytes("a"))))).isEqualTo(Kind.CLOSED);
            assertThat(refusal(() -> snapshot.cursor(KeyRange.ALL, FORWARD)))
                    .isEqualTo(Kind.CLOSED);
            assertThat(refusal(cursor::next)).isEqualTo(Kind.CLOSED);
            assertThat(refusal(() -> cursor.seek(bytes("a")))).isEqualTo(Kind.CLOSED);
            assertThat(closed).isNotDone();
        }
        closed.get(1, TimeUnit.MINUTES);
    }

    @Test
    default void closeWaitsForCommitsInFlight() {
        List<CompletionStage<CommitResult>> stages = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            stages.add(store().commit(batch().put(bytes("k" + i), bytes("1")).build()));
        }
        store().close();

        stages.forEach(
                stage ->
                        assertThat(stage.toCompletableFuture())
                                .isCompletedWithValueMatching(
                                        CommitResult.Committed.class::isInstance));
    }

    /** Each commit is committed or refused, and committed ones persist. */
    @Test
    default void closeAndCommitMayRace() throws Exception {
        CompletableFuture<Void> closed = null;
        List<CompletionStage<CommitResult>> stages = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            stages.add(store().commit(batch().put(bytes("k" + i), bytes("1")).build()));
            if (i == 50) {
                closed = CompletableFuture.runAsync(store()::close);
            }
        }
        closed.get(1, TimeUnit.MINUTES);

        int committed = 0;
        for (CompletionStage<CommitResult> stage : stages) {
            CommitResult end = await(stage);
            if (end instanceof CommitResult.Committed) {
                committed++;
            } else {
                assertThat(((CommitResult.Unavailable) end).cause().kind())
                        .isEqualTo(StorageException.Kind.CLOSED);
            }
        }
        assertThat(committed).isGreaterThan(50);
        if (traits().contains(StorageTrait.SURVIVES_RESTART)) {
            reopened();
            assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(committed);
        }
    }

    @Test
    default void aHintToReclaimChangesNothingThatCanBeRead() {
        putAll("a", "b", "c");
        try (Snapshot before = store().snapshot()) {
            await(store().commit(batch().delete(bytes("b")).build()));
            store().reclaim();
            putAll("d");
            store().reclaim();

            assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "c", "d");
            assertThat(before.get(bytes("b"))).isNotNull();
        }
        if (traits().contains(StorageTrait.SURVIVES_RESTART)) {
            reopened();
            assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "c", "d");
        }
    }

    @Test
    default void hintsMayComeAtOnceAndAmongCommitsAndAfterTheClose() throws Exception {
        CompletableFuture<?>[] hints = new CompletableFuture<?>[4];
        for (int thread = 0; thread < hints.length; thread++) {
            hints[thread] =
                    CompletableFuture.runAsync(
                            () -> {
                                for (int i = 0; i < 1000; i++) {
                                    store().reclaim();
                                }
                            });
        }
        for (int i = 0; i < 50; i++) {
            WriteBatch batch = batch().put(bytes("k" + i), bytes("1")).build();
            await(store().commit(batch));
        }
        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(50);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(store()::close);
        CompletableFuture.allOf(hints).get(1, TimeUnit.MINUTES);
        closed.get(1, TimeUnit.MINUTES);
        store().reclaim();
    }
}
