package io.brain.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract on the memory storage as it comes, and what it has beyond the contract. */
final class MemoryStorageTest extends KvStorageContract implements SnapshotAtTimestampContract {
    private final MemoryStorage memory = new MemoryStorage();
    private boolean opened;

    @Override
    protected KvStorage open() {
        KvStorage next = opened ? new MemoryStorage() : memory;
        opened = true;
        return next;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
    }

    @AfterEach
    void nothingLeaks() {
        memory.checkNoOpenSnapshots();
    }

    @Test
    void aLeakIsReportedWithThePlaceThatOpenedIt() {
        try (Snapshot snapshot = memory.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            assertThat(cursor.next()).isFalse();
            assertThatThrownBy(memory::checkNoOpenSnapshots)
                    .isInstanceOf(IllegalStateException.class)
                    .satisfies(
                            leak -> {
                                assertThat(leak.getSuppressed()).hasSize(2);
                                assertThat(leak.getSuppressed()[1].getStackTrace())
                                        .anyMatch(
                                                frame ->
                                                        frame.getMethodName()
                                                                .startsWith("aLeakIsReported"));
                            });
        }
    }

    @Test
    void commitsLandWhenTheExecutorRunsThem() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        MemoryStorage store = new MemoryStorage(tasks::add, Set.of());
        var stage = store.commit(batch().put(bytes("k"), bytes("1")).build());

        assertThat(stage.toCompletableFuture()).isNotDone();
        try (Snapshot snapshot = store.snapshot()) {
            assertThat(snapshot.get(bytes("k"))).isNull();
        }
        tasks.remove().run();
        assertThat(stage.toCompletableFuture()).isCompleted();
        store.close();
    }

    @Test
    void aCrashDropsWhatWasNotExecutedAndNeverAnswersIt() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        MemoryStorage store = new MemoryStorage(tasks::add, Set.of());
        store.commit(batch().put(bytes("a"), bytes("1")).build());
        tasks.remove().run();
        CompletableFuture<CommitResult> lost =
                store.commit(batch().put(bytes("b"), bytes("1")).build()).toCompletableFuture();
        Snapshot snapshot = store.snapshot();

        store.crash();
        tasks.remove().run();

        assertThat(lost).isNotDone();
        assertThat(refusal(() -> snapshot.get(bytes("a")))).isNotNull();
        MemoryStorage next = store.openAgain(Runnable::run);
        try (Snapshot after = next.snapshot()) {
            assertThat(keys(after, KeyRange.ALL, Cursor.Direction.FORWARD)).containsExactly("a");
        }
        next.close();
    }
}
