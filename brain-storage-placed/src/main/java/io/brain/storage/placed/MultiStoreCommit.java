package io.brain.storage.placed;

import io.brain.storage.CommitResult;
import io.brain.storage.CommitResult.Committed;
import io.brain.storage.CommitResult.Unavailable;
import io.brain.storage.CommitResult.Uncertain;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A batch of the base, then one of each placed store. The base's is what counts: after it, the
 * others are repeated until they have it too.
 */
final class MultiStoreCommit implements UnresolvedCommit {
    private final KvStorage base;
    private final SortedMap<String, PlacedStore> stores;
    private final SnapshotOpener snapshots;
    private final WriteBatch batch;
    private final Consumer<Boolean> ended;

    /** Names of the stores that lack the commit, in order, and their changes. */
    private final SortedMap<String, List<Mutation>> left;

    /** Null once it was left, or if the commit changes no placed store. */
    private View before;

    /** Null until the base has committed. */
    private Committed committed;

    /** Batch of the first store that is left, whose outcome is unknown; null: not sent. */
    private WriteBatch sent;

    /**
     * A commit.
     *
     * @param batch for the base
     * @param redo for the placed stores
     * @param before left when the commit ends or is in doubt; may be null
     * @param ended receives whether it was committed
     */
    MultiStoreCommit(
            KvStorage base,
            SortedMap<String, PlacedStore> stores,
            SnapshotOpener snapshots,
            WriteBatch batch,
            Redo redo,
            View before,
            Consumer<Boolean> ended) {
        this.base = base;
        this.stores = stores;
        this.snapshots = snapshots;
        this.batch = batch;
        this.ended = ended;
        this.left = new TreeMap<>(redo.changes());
        this.before = before;
    }

    /** Whatever fails after the base's commit, the outcome is open, and not that of a refusal. */
    CompletionStage<CommitResult> begin() {
        return Futures.certain(
                () -> Futures.certain(() -> base.commit(batch)).thenCompose(this::onBase));
    }

    @Override
    public CompletionStage<CommitResult> resolve() {
        if (committed == null) {
            return Futures.certain(() -> base.resolve(batch)).thenCompose(this::onBase);
        }
        if (sent == null) {
            return apply();
        }
        return Futures.certain(() -> store().storage().resolve(sent))
                .thenCompose(
                        end -> {
                            if (end instanceof Unavailable) {
                                sent = null;
                                return apply();
                            }
                            return onStore(end);
                        });
    }

    private CompletionStage<CommitResult> onBase(CommitResult end) {
        if (end instanceof Committed now) {
            committed = now;
            return apply();
        }
        if (end instanceof Uncertain uncertain) {
            return doubt(uncertain.cause());
        }
        finish(false);
        boolean foreign =
                end instanceof CommitResult.Conflict conflict
                        && Records.RANGE.contains(conflict.key());
        return CompletableFuture.completedFuture(
                foreign ? new Unavailable(Futures.failure(end)) : end);
    }

    private PlacedStore store() {
        return stores.get(left.firstKey());
    }

    private CompletionStage<CommitResult> apply() {
        if (left.isEmpty()) {
            finish(true);
            return CompletableFuture.completedFuture(committed);
        }
        sent = store().batch(left.get(left.firstKey()));
        return Futures.certain(() -> store().storage().commit(sent)).thenCompose(this::onStore);
    }

    private CompletionStage<CommitResult> onStore(CommitResult end) {
        if (end instanceof Committed now) {
            store().committed(now.timestamp());
            sent = null;
            left.remove(left.firstKey());
            return apply();
        }
        StorageException cause = Futures.failure(end);
        sent = end instanceof Uncertain ? sent : null;
        return doubt(
                new StorageException(
                        cause.kind(),
                        "store " + left.firstKey() + ": " + cause.getMessage(),
                        cause));
    }

    /** Readers get what is certain; an engine may have to end its snapshots to go on. */
    private CompletionStage<CommitResult> doubt(StorageException cause) {
        Map<String, StorageException> away = new HashMap<>();
        left.keySet().forEach(name -> away.put(name, cause));
        if (committed == null) {
            snapshots.unknown(cause);
        } else {
            snapshots.without(away);
        }
        leaveBefore();
        return CompletableFuture.completedFuture(new Uncertain(cause));
    }

    private void finish(boolean done) {
        ended.accept(done);
        leaveBefore();
    }

    private void leaveBefore() {
        if (before != null) {
            before.leave();
            before = null;
        }
    }
}
