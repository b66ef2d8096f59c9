package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.ScriptedFaults;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A move to a store that does not answer, and the commits beside it. */
@Timeout(60)
final class MoverTest {
    private final MemoryStorage hot = new MemoryStorage();

    private static CompletionStage<CommitResult> commit(KvStorage storage, String key) {
        return storage.commit(WriteBatch.builder().put(Bytes.utf8(key), Bytes.utf8("1")).build());
    }

    @Test
    void commitsDoNotWaitWhileAStepFindsOutThatTheTargetDoesNotAnswer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        var silent =
                new ForwardingKvStorage(hot) {
                    private volatile boolean away;

                    @Override
                    public Snapshot snapshot() {
                        if (away) {
                            asked.countDown();
                            try {
                                over.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            throw new StorageException(Kind.UNAVAILABLE, "no answer");
                        }
                        return super.snapshot();
                    }
                };
        try (PlacedStorage storage = Prefixes.open(Prefixes.base(), Map.of("hot", silent))) {
            Futures.join(commit(storage, "p/1"));
            storage.place(Bytes.utf8("p/"), "hot");
            silent.away = true;
            CompletableFuture<Void> step = CompletableFuture.runAsync(storage::moveStep);
            asked.await();
            CompletableFuture<CommitResult> beside = commit(storage, "p/2").toCompletableFuture();
            try {
                assertThat(beside.get(20, TimeUnit.SECONDS))
                        .isInstanceOf(CommitResult.Committed.class);
            } finally {
                over.countDown();
            }
            assertThatThrownBy(step::join).hasMessageContaining("no answer");
        }
    }

    @Test
    void afterAStepThatFailsCommitsHaveTwiceItsTime() throws Exception {
        int stepMillis = 800;
        List<Long> ends = new CopyOnWriteArrayList<>();
        List<Long> begins = new CopyOnWriteArrayList<>();
        var slow =
                new ForwardingKvStorage(hot) {
                    private volatile boolean fails = true;

                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        if (!fails || !batch.primary().key().equals(Records.POSITION)) {
                            return super.commit(batch);
                        }
                        begins.add(System.nanoTime());
                        return CompletableFuture.supplyAsync(
                                () -> {
                                    ends.add(System.nanoTime());
                                    return new CommitResult.Unavailable(
                                            new StorageException(Kind.UNAVAILABLE, "no answer"));
                                },
                                CompletableFuture.delayedExecutor(
                                        stepMillis, TimeUnit.MILLISECONDS));
                    }
                };
        try (PlacedStorage storage =
                PlacedStorage.open(
                        Prefixes.base(), Map.of("hot", slow), Prefixes.RANGES, Prefixes.ID)) {
            Futures.join(commit(storage, "p/1"));
            storage.place(Bytes.utf8("p/"), "hot");
            while (begins.size() < 2) {
                Thread.sleep(20);
            }
            slow.fails = false;
            assertThat(begins.get(1) - ends.get(0))
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2L * stepMillis));
        }
    }

    /** Commits wait for that copy, so to cancel is what an operator would do. */
    @ParameterizedTest
    @EnumSource(
            value = Fault.Outcome.class,
            names = {"UNCERTAIN_NOT_APPLIED", "UNCERTAIN_APPLIED"})
    void aMoveIsCanceledWhileTheOutcomeOfACopyIsOpen(Fault.Outcome outcome) {
        ScriptedFaults faults = new ScriptedFaults();
        try (PlacedStorage storage =
                Prefixes.open(Prefixes.base(), Map.of("hot", new FaultyStorage(hot, faults)))) {
            Futures.join(commit(storage, "p/1"));
            storage.place(Bytes.utf8("p/"), "hot");
            faults.then(Fault.of(outcome).resolvedAfter(3));
            assertThatThrownBy(storage::moveStep).hasMessageContaining("injected");
            assertThat(Futures.join(commit(storage, "p/2")))
                    .isInstanceOf(CommitResult.Unavailable.class);

            storage.place(Bytes.utf8("p/"), Placement.BASE);
            assertThat(Futures.join(commit(storage, "p/2")))
                    .isInstanceOf(CommitResult.Committed.class);
            // What is cleared must not come back with the copy.
            assertThatThrownBy(storage::moveStep).hasMessageContaining("injected");
            assertThatThrownBy(storage::moveStep).hasMessageContaining("injected");
            Prefixes.finish(storage);
            assertThat(storage.placements()).isEmpty();
            try (Snapshot snapshot = hot.snapshot()) {
                assertThat(snapshot.get(Bytes.utf8("p/1"))).isNull();
            }
        }
    }

    /** Until then, nothing can be read. */
    @Test
    void aCancelWhoseOutcomeIsOpenIsResolvedAlthoughTheTargetDoesNotAnswer() {
        ScriptedFaults faults = new ScriptedFaults();
        var silent =
                new ForwardingKvStorage(hot) {
                    private boolean away;

                    @Override
                    public Snapshot snapshot() {
                        if (away) {
                            throw new StorageException(Kind.UNAVAILABLE, "no answer");
                        }
                        return super.snapshot();
                    }
                };
        try (PlacedStorage storage =
                Prefixes.open(new FaultyStorage(Prefixes.base(), faults), Map.of("hot", silent))) {
            storage.place(Bytes.utf8("p/"), "hot");
            silent.away = true;
            faults.then(Fault.of(Fault.Outcome.UNCERTAIN_APPLIED));
            assertThatThrownBy(() -> storage.place(Bytes.utf8("p/"), Placement.BASE))
                    .hasMessageContaining("injected");
            assertThatThrownBy(storage::snapshot).hasMessageContaining("injected");
            storage.moveStep();
            storage.snapshot().close();
            silent.away = false;
        }
    }
}
