package io.brain.backend.read;

import io.brain.backend.model.Reply;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

/**
 * Reads of committed transactions, at read points that the caller keeps from compaction. They are
 * never refused for want of room, they wait: the caller bounds their number. Thread-safe.
 */
public final class PinnedReads {
    private final Revisions revisions;
    private final Executor readers;
    private final BudgetTiers budget;

    /** Reads on {@code readers}, within {@code budget}. */
    public PinnedReads(Revisions revisions, Executor readers, BudgetTiers budget) {
        this.revisions = revisions;
        this.readers = readers;
        this.budget = budget;
    }

    /**
     * Starts a read.
     *
     * @param read gets the newest read point; may run again from the start, with another meter
     */
    public <T> CompletableFuture<Reply<T>> start(BiFunction<ReadPoint, ReadQuota, T> read) {
        return new ReadTask<T>(
                        read::apply,
                        () -> CompletableFuture.completedFuture(revisions.committed()),
                        readers,
                        budget,
                        () -> {})
                .start(true);
    }
}
