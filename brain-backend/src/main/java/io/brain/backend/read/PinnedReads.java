package io.brain.backend.read;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.Reply;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * Reads for committed transactions, at read points that the caller protects from compaction. Never
 * refused: the caller limits their number. Thread-safe.
 */
public final class PinnedReads {
    private final Revisions revisions;
    private final FairReaders readers;
    private final BudgetTiers budget;

    /** Reads on reader threads. */
    public PinnedReads(Revisions revisions, FairReaders readers, BudgetTiers budget) {
        this.revisions = revisions;
        this.readers = readers;
        this.budget = budget;
    }

    /**
     * Starts a read.
     *
     * @param tenant whose transaction it is
     * @param read receives the newest read point; may be called again with a larger quota
     */
    public <T> CompletableFuture<Reply<T>> start(
            Tenant tenant, BiFunction<ReadPoint, ReadQuota, T> read) {
        return new ReadTask<>(
                        tenant,
                        read,
                        () -> CompletableFuture.completedFuture(revisions.committed()),
                        revision ->
                                revisions.await(revision).thenApply(done -> revisions.committed()),
                        readers,
                        budget,
                        () -> {})
                .start();
    }
}
