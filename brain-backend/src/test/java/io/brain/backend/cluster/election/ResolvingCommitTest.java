package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ResolvingCommitTest {
    private final SimulatedRuntime simulation = new SimulatedRuntime(1);

    /** Without memory; or with a fault. */
    private static final class Throwing extends ForwardingKvStorage {
        private final boolean commits;

        Throwing(boolean commits) {
            super(new MemoryStorage());
            this.commits = commits;
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            if (!commits) {
                throw new OutOfMemoryError("expected by the test");
            }
            return CompletableFuture.completedFuture(
                    new CommitResult.Uncertain(
                            new StorageException(Kind.UNAVAILABLE, "expected by the test")));
        }

        @Override
        public CompletionStage<CommitResult> resolve(WriteBatch batch) {
            throw new IllegalStateException("expected by the test");
        }
    }

    @Test
    void whatTheEngineThrowsEndsTheCommit() {
        WriteBatch batch =
                WriteBatch.builder().putIfAbsent(Bytes.utf8("k"), Bytes.utf8("1")).build();
        for (boolean commits : new boolean[] {true, false}) {
            var end = new ResolvingCommit(new Throwing(commits), simulation.runtime()).run(batch);
            simulation.advance(Duration.ofSeconds(1));
            assertThat(end).isCompletedExceptionally();
        }
    }
}
