package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class MeteredStorageTest {
    private static final WriteBatch BATCH =
            WriteBatch.builder().put(Bytes.utf8("k"), Bytes.utf8("v")).build();

    private final Queue<CompletableFuture<CommitResult>> answers = new ArrayDeque<>();
    private final MeteredStorage storage =
            new MeteredStorage(
                    new ForwardingKvStorage(new MemoryStorage()) {
                        @Override
                        public CompletionStage<CommitResult> commit(WriteBatch batch) {
                            return answers.remove();
                        }
                    });

    @Test
    void theOldestPendingCommitIsReportedUntilItCompletes() throws Exception {
        assertThat(storage.oldestCommitNanos()).isZero();
        CompletableFuture<CommitResult> first = new CompletableFuture<>();
        CompletableFuture<CommitResult> second = new CompletableFuture<>();
        answers.addAll(List.of(first, second));
        var unused = storage.commit(BATCH);
        Thread.sleep(30);
        long aged = storage.oldestCommitNanos();
        assertThat(aged).isGreaterThan(29_000_000);
        unused = storage.commit(BATCH);
        assertThat(storage.oldestCommitNanos()).isGreaterThanOrEqualTo(aged);
        assertThat(page().value("brain_storage_commit_oldest_seconds")).isGreaterThan(0.029);
        first.completeExceptionally(new IllegalStateException("lost"));
        assertThat(storage.oldestCommitNanos()).isPositive();
        second.completeExceptionally(new IllegalStateException("lost"));
        assertThat(storage.oldestCommitNanos()).isZero();
        assertThat(page().value("brain_storage_commits_total{result=\"uncertain\"}")).isEqualTo(2);
    }

    @Test
    void theTimeOfTheLastSyncIsThatOfTheLastCommit() {
        long before = storage.lastSynced();
        answers.add(CompletableFuture.completedFuture(new CommitResult.Committed(1)));
        var unused = storage.commit(BATCH);
        assertThat(storage.lastSynced()).isGreaterThan(before);
    }

    @Test
    void aRefusedCommitIsNotPending() {
        assertThatThrownBy(() -> storage.commit(BATCH)).isNotNull(); // there is no answer
        assertThat(storage.oldestCommitNanos()).isZero();
    }

    private Page page() {
        MetricsText text = new MetricsText();
        storage.writeTo(text);
        return Page.read(text.toString());
    }
}
