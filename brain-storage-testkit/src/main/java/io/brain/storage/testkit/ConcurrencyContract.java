package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads on one store. */
interface ConcurrencyContract extends StoreUnderTest {
    /** Runs all tasks at the same time, and gives their results; fails if one of them fails. */
    private <T> List<T> together(List<Callable<T>> tasks) {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(tasks, 4, TimeUnit.MINUTES)) {
                results.add(future.get());
            }
            return results;
        } catch (Exception e) {
            throw new AssertionError("a task failed", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private <T> List<T> together(int times, Callable<T> task) {
        return together(Collections.nCopies(times, task));
    }

    @Test
    default void exactlyOneOfManyWinsAKey() {
        for (int round = 0; round < 10; round++) {
            Bytes key = bytes("prize " + round);
            AtomicInteger names = new AtomicInteger();
            List<CommitResult> ends =
                    together(
                            8,
                            () -> {
                                Bytes me = bytes("racer " + names.getAndIncrement());
                                WriteBatch.Builder batch = batch().put(key.concat(me), me);
                                return await(store().commit(batch.putIfAbsent(key, me).build()));
                            });

            assertThat(ends).filteredOn(CommitResult.Committed.class::isInstance).hasSize(1);
            Bytes winner = bytes(get(text(key)));
            assertThat(ends)
                    .filteredOn(CommitResult.Conflict.class::isInstance)
                    .hasSize(7)
                    .containsOnly(new CommitResult.Conflict(key, Optional.of(winner)));
            assertThat(keys(KeyRange.prefix(key), FORWARD))
                    .containsExactly(text(key), text(key) + text(winner));
        }
    }

    @Test
    default void noIncrementOfASharedCounterIsLost() {
        put("counter", "0");
        AtomicInteger names = new AtomicInteger();
        together(
                4,
                () -> {
                    Bytes me = bytes("counts " + names.getAndIncrement());
                    for (int done = 0; done < 25; ) {
                        Bytes old = bytes(get("counter"));
                        Bytes next = bytes("" + (Integer.parseInt(text(old)) + 1));
                        WriteBatch.Builder batch = batch().put(me, next);
                        batch.compareAndSet(bytes("counter"), old, next);
                        CommitResult end = await(store().commit(batch.build()));
                        done += end instanceof CommitResult.Committed ? 1 : 0;
                    }
                    return null;
                });

        assertThat(get("counter")).isEqualTo("100");
    }

    @Test
    default void commitsOfManyThreadsAllLandWithTimestampsOfTheirOwn() {
        AtomicInteger keys = new AtomicInteger();
        List<Long> timestamps =
                together(
                        60,
                        () -> commit(batch().put(bytes("k" + keys.getAndIncrement()), bytes("1"))));

        assertThat(timestamps).doesNotHaveDuplicates().hasSize(60);
        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(60);
    }

    @Test
    default void manyCommitsMayBeInFlight() {
        List<CompletionStage<CommitResult>> stages = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            stages.add(store().commit(batch().put(bytes("k" + i), bytes("v" + i)).build()));
        }

        for (CompletionStage<CommitResult> stage : stages) {
            assertThat(await(stage)).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(100);
    }

    @Test
    default void aBatchIsSeenWholeOrNotAtAll() {
        commit(batch().put(bytes("left"), bytes("0")).put(bytes("right"), bytes("0")));
        List<Callable<Integer>> tasks = new ArrayList<>();
        tasks.add(
                () -> {
                    for (int i = 1; i <= 300; i++) {
                        Bytes value = bytes("" + i);
                        commit(batch().put(bytes("left"), value).put(bytes("right"), value));
                    }
                    return 0;
                });
        for (int reader = 0; reader < 3; reader++) {
            tasks.add(
                    () -> {
                        int seen = 0;
                        while (seen < 300) {
                            try (Snapshot snapshot = store().snapshot()) {
                                Bytes left = snapshot.get(bytes("left"));
                                assertThat(snapshot.get(bytes("right"))).isEqualTo(left);
                                int now = Integer.parseInt(text(left));
                                assertThat(now).isGreaterThanOrEqualTo(seen);
                                seen = now;
                            }
                        }
                        return seen;
                    });
        }

        assertThat(together(tasks)).containsExactly(0, 300, 300, 300);
    }

    @Test
    default void manyThreadsShareOneSnapshot() {
        WriteBatch.Builder batch = batch();
        for (int i = 0; i < 200; i++) {
            batch.put(bytes("key " + i), bytes("value " + i));
        }
        commit(batch);

        try (Snapshot snapshot = store().snapshot()) {
            List<Integer> found =
                    together(
                            4,
                            () -> {
                                put("key 7", "changed");
                                for (int i = 0; i < 200; i++) {
                                    assertThat(snapshot.get(bytes("key " + i)))
                                            .isEqualTo(bytes("value " + i));
                                }
                                return keys(snapshot, KeyRange.ALL, FORWARD).size();
                            });
            assertThat(found).containsOnly(200);
        }
    }

    @Test
    default void snapshotsMayBeClosedWhileOthersRead() {
        putAll("a", "b", "c");
        together(
                4,
                () -> {
                    for (int i = 0; i < 300; i++) {
                        try (Snapshot snapshot = store().snapshot()) {
                            assertThat(snapshot.get(bytes("b"))).isNotNull();
                            assertThat(keys(snapshot, KeyRange.ALL, FORWARD)).hasSize(3);
                        }
                        if (i % 30 == 0) {
                            commit(batch().put(bytes("b"), bytes("v" + i)));
                        }
                    }
                    return null;
                });
    }

    @Test
    default void everyCommitEndsExactlyOnce() {
        AtomicInteger ends = new AtomicInteger();
        List<CompletionStage<Void>> counted = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            WriteBatch.Builder batch = batch().put(bytes("k" + i), bytes("1"));
            if (i % 3 == 0) {
                batch.compareAndSet(bytes("absent"), bytes("0"), bytes("1"));
            }
            counted.add(store().commit(batch.build()).thenAccept(end -> ends.incrementAndGet()));
        }
        reopened();

        counted.forEach(stage -> assertThat(stage.toCompletableFuture()).isCompleted());
        assertThat(ends).hasValue(60);
    }
}
