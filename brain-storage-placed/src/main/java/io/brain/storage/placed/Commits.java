package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.CommitResult.Committed;
import io.brain.storage.CommitResult.Unavailable;
import io.brain.storage.CommitResult.Uncertain;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The commits of all stores, one at a time. What is not volatile is used in the {@link CommitQueue}
 * only.
 */
final class Commits {
    private final KvStorage base;
    private final SortedMap<String, PlacedStore> stores;
    private final Function<Bytes, List<KeyRange>> ranges;
    private final CommitQueue queue = new CommitQueue();
    private final SnapshotOpener snapshots;
    private volatile PlacementRecord record;

    /** True if the base has {@link #record}; false until a store is adopted. */
    private boolean stored;

    /** How far the prefix that moves is copied; null if none moves. */
    private Position copied;

    /** The commit whose outcome is not final; null if every one is. */
    private UnresolvedCommit unresolved;

    /** A copy for which commits wait no more, as its move is canceled; null: none. */
    private volatile StoreCommit openCopy;

    Commits(
            KvStorage base,
            SortedMap<String, PlacedStore> stores,
            Function<Bytes, List<KeyRange>> ranges,
            PlacementRecord record,
            boolean stored,
            Position copied) {
        this.base = base;
        this.stores = stores;
        this.ranges = ranges;
        this.record = record;
        this.stored = stored;
        this.copied = copied;
        this.snapshots = new SnapshotOpener(base, stores, new Layout(record.placements(), ranges));
    }

    /** Any thread. */
    PlacementRecord record() {
        return record;
    }

    /** See {@link SnapshotOpener#snapshot}. Any thread. */
    Snapshot snapshot() {
        return snapshots.snapshot();
    }

    /** See {@link SnapshotOpener#isInDoubt}. Any thread. */
    boolean isInDoubt() {
        return snapshots.isInDoubt();
    }

    CompletionStage<CommitResult> commit(WriteBatch batch) {
        return queue.run(batch.bytes(), () -> whenResolved(() -> begin(batch)))
                .exceptionally(refused -> new Unavailable(Futures.failure(refused)));
    }

    CompletionStage<CommitResult> resolve(WriteBatch batch) {
        batch.resolvingValue();
        return queue.run(0, () -> resolveInOrder(batch))
                .exceptionally(refused -> new Uncertain(Futures.failure(refused)));
    }

    private CompletionStage<CommitResult> whenResolved(
            Supplier<CompletionStage<CommitResult>> step) {
        if (unresolved == null) {
            return step.get();
        }
        boolean ofBase = unresolved instanceof StoreCommit one && one.next == null;
        return unresolved
                .resolve()
                .thenCompose(
                        end ->
                                end instanceof Uncertain still
                                        ? done(
                                                new Unavailable(
                                                        ofBase ? still.cause() : waiting(still)))
                                        : step.get());
    }

    /** Why a batch waits for another one, whose kind of failure says nothing about it. */
    private static StorageException waiting(Uncertain other) {
        StorageException cause = other.cause();
        return new StorageException(Kind.UNAVAILABLE, cause.getMessage(), cause);
    }

    private CompletionStage<CommitResult> resolveInOrder(WriteBatch batch) {
        if (unresolved == null) {
            return stored(batch);
        }
        if (unresolved instanceof StoreCommit one && one.batch == batch) {
            return one.resolve();
        }
        boolean other = unresolved instanceof StoreCommit one && one.next != null;
        return unresolved
                .resolve()
                .thenCompose(
                        end ->
                                end instanceof Uncertain still
                                        ? done(other ? new Uncertain(waiting(still)) : still)
                                        : stored(batch));
    }

    /** What a batch was that is not on its way any more. */
    private CompletionStage<CommitResult> stored(WriteBatch batch) {
        Bytes key = batch.primary().key();
        if (snapshots.layout().storeOf(key).equals(Placement.BASE)) {
            return Futures.certain(() -> base.resolve(batch));
        }
        View view = snapshots.open();
        try {
            if (batch.resolvingValue().equals(view.get(key))) {
                return done(new Committed(base.timestamp()));
            }
            return done(
                    new Unavailable(
                            new StorageException(Kind.UNAVAILABLE, "batch was not committed")));
        } finally {
            view.leave();
        }
    }

    private CompletionStage<CommitResult> begin(WriteBatch batch) {
        Layout layout = snapshots.layout();
        Split split = layout.isPlain() ? null : Split.of(batch, layout, copied);
        if (split == null || split.redo().isEmpty()) {
            // Known until it is final: a move could copy what it replaces.
            return new StoreCommit(null, batch, null).begin();
        }
        View before = snapshots.open();
        CommitResult refusal;
        try {
            refusal = split.refusal(before, layout, stores);
        } catch (StorageException away) {
            refusal = new Unavailable(away);
        }
        if (refusal != null) {
            before.leave();
            return done(refusal);
        }
        PlacementRecord next = record.next(split.redo().changes().keySet());
        WriteBatch.Builder whole = WriteBatch.builder();
        whole.compareAndSet(Records.PLACEMENTS, record.encode(), next.encode());
        split.base().forEach(whole::add);
        whole.put(Records.REDO, split.redo().encode());
        if (batch.needsSpace()) {
            whole.needsSpace();
        }
        snapshots.share(before);
        return begin(whole.build(), next, split.redo(), before);
    }

    private CompletionStage<CommitResult> begin(
            WriteBatch batch, PlacementRecord next, Redo redo, View before) {
        MultiStoreCommit whole =
                new MultiStoreCommit(
                        base,
                        stores,
                        snapshots,
                        batch,
                        redo,
                        before,
                        committed -> ended(committed, committed ? next : record));
        unresolved = whole;
        return whole.begin();
    }

    private void ended(boolean committed, PlacementRecord outcome) {
        unresolved = null;
        stored |= committed;
        boolean moved = !outcome.placements().equals(record.placements());
        record = outcome;
        snapshots.set(moved ? new Layout(outcome.placements(), ranges) : snapshots.layout());
    }

    /** A batch of one store, for which no reader waits; written in order. */
    private final class StoreCommit implements UnresolvedCommit {
        /** Null: the base. */
        private final PlacedStore store;

        private final KvStorage target;
        private final WriteBatch batch;

        /** How far a prefix is copied with it; null: it is no copy. */
        private final Position next;

        StoreCommit(PlacedStore store, WriteBatch batch, Position next) {
            this.store = store;
            this.target = store == null ? base : store.storage();
            this.batch = batch;
            this.next = next;
        }

        CompletionStage<CommitResult> begin() {
            unresolved = this;
            return Futures.certain(() -> target.commit(batch)).thenApply(this::end);
        }

        @Override
        public CompletionStage<CommitResult> resolve() {
            return Futures.certain(() -> target.resolve(batch)).thenApply(this::end);
        }

        private CommitResult end(CommitResult end) {
            if (!(end instanceof Uncertain) || !isResolvable(batch.primary())) {
                unresolved = null;
            }
            if (end instanceof Committed committed && next != null) {
                copied = next;
                if (store != null) {
                    store.at(committed.timestamp());
                }
            }
            return end;
        }
    }

    /** Otherwise it deletes what nobody reads, and is repeated until it is committed. */
    private static boolean isResolvable(Mutation primary) {
        return primary.isGuarded() && primary.newValue() != null;
    }

    // For threads that may block

    /**
     * Does work that may block, in order, when all earlier commits are final.
     *
     * @throws StorageException if they are not, and what the work throws
     */
    void work(Runnable work) {
        work(() -> false, work);
    }

    /**
     * The same. Leaves a copy to a placed store open if the work cancels its move: see {@link
     * #settleCopy}.
     *
     * @param cancels asked in order
     */
    void work(BooleanSupplier cancels, Runnable work) {
        queue.work(
                () -> {
                    if (unresolved instanceof StoreCommit one
                            && one.store != null
                            && cancels.getAsBoolean()) {
                        openCopy = one;
                        unresolved = null;
                    }
                    CommitResult end = Futures.join(whenResolved(() -> done(new Committed(0))));
                    if (!(end instanceof Committed)) {
                        throw Futures.failure(end);
                    }
                    work.run();
                });
    }

    /** Ends the copy of a canceled move, or throws: before its store gets another batch. */
    void settleCopy() {
        StoreCommit copy = openCopy;
        if (copy != null
                && Futures.join(copy.target.resolve(copy.batch)) instanceof Uncertain still) {
            throw still.cause();
        }
        openCopy = null;
    }

    /** Makes the number of a new base final; in order. */
    void keepId() {
        if (!stored) {
            change(record);
        }
    }

    /** Replaces the record of placements; in order. */
    void change(PlacementRecord next) {
        WriteBatch.Builder batch = WriteBatch.builder();
        if (stored) {
            batch.compareAndSet(Records.PLACEMENTS, record.encode(), next.encode());
        } else {
            batch.putIfAbsent(Records.PLACEMENTS, next.encode());
        }
        // The stores have it, and a later record may not know them.
        batch.delete(Records.REDO);
        CommitResult end = Futures.join(begin(batch.build(), next, Redo.NONE, null));
        if (!(end instanceof Committed)) {
            throw Futures.failure(end);
        }
    }

    /** How far the prefix that moves is copied; in order. */
    Position copied() {
        return copied;
    }

    /** Begins a copy; in order. */
    void startCopy(Position start) {
        copied = start;
    }

    /** Commits a part of a copy to a store; in order. */
    void copy(String store, WriteBatch batch, Position next) {
        if (!store.equals(Placement.BASE)) {
            // Otherwise the changes that replace or delete it would be refused.
            stores.get(store).requireFit(batch.mutations());
        }
        CommitResult end = Futures.join(new StoreCommit(stores.get(store), batch, next).begin());
        if (!(end instanceof Committed)) {
            throw Futures.failure(end);
        }
    }

    /** Refuses commits and snapshots, and waits for commits. */
    void close() {
        queue.close();
    }

    /** Readers learn that the storage closes. */
    void refuseReads() {
        snapshots.refuseReads();
    }

    private static CompletionStage<CommitResult> done(CommitResult end) {
        return CompletableFuture.completedFuture(end);
    }
}
