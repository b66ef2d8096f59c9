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
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** The commits of all stores, one at a time. What is not volatile is used in {@link Turns} only. */
final class Commits {
    private final KvStorage base;
    private final SortedMap<String, PlacedStore> stores;
    private final Function<Bytes, List<KeyRange>> ranges;
    private final Turns turns = new Turns();
    private final Moments moments;
    private volatile PlacementRecord record;

    /** True if the base has {@link #record}: an empty one is not stored. */
    private boolean stored;

    /** How far the prefix that moves is copied; null if none moves. */
    private Position copied;

    /** The commit whose outcome is not final; null if every one is. */
    private Unsettled unsettled;

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
        this.moments = new Moments(base, stores, new Layout(record.placements(), ranges));
    }

    /** Any thread. */
    PlacementRecord record() {
        return record;
    }

    /** See {@link Moments#snapshot}. Any thread. */
    Snapshot snapshot() {
        return moments.snapshot();
    }

    CompletionStage<CommitResult> commit(WriteBatch batch) {
        return turns.run(batch.bytes(), () -> settled(() -> begin(batch)))
                .exceptionally(refused -> new Unavailable(Futures.failure(refused)));
    }

    CompletionStage<CommitResult> resolve(WriteBatch batch) {
        batch.resolvingValue();
        return turns.run(0, () -> resolveInTurn(batch))
                .exceptionally(refused -> new Uncertain(Futures.failure(refused)));
    }

    private CompletionStage<CommitResult> settled(Supplier<CompletionStage<CommitResult>> step) {
        if (unsettled == null) {
            return step.get();
        }
        return unsettled
                .settle()
                .thenCompose(
                        end ->
                                end instanceof Uncertain still
                                        ? done(new Unavailable(still.cause()))
                                        : step.get());
    }

    private CompletionStage<CommitResult> resolveInTurn(WriteBatch batch) {
        if (unsettled != null) {
            return unsettled
                    .settle()
                    .thenCompose(end -> end instanceof Uncertain ? done(end) : stored(batch));
        }
        return stored(batch);
    }

    /** What a batch was that is not on its way any more. */
    private CompletionStage<CommitResult> stored(WriteBatch batch) {
        Bytes key = batch.primary().key();
        if (moments.layout().storeOf(key).equals(Placement.BASE)) {
            return Futures.certain(base.resolve(batch));
        }
        View view = moments.open();
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
        Layout layout = moments.layout();
        Split split = layout.isPlain() ? null : Split.of(batch, layout, copied);
        if (split == null || split.redo().isEmpty()) {
            return Futures.certain(base.commit(batch));
        }
        View before = moments.open();
        CommitResult refusal;
        try {
            refusal = refusal(split, before);
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
        moments.share(before);
        return begin(whole.build(), next, split.redo(), before);
    }

    /** Why a batch cannot be committed; null: it can. */
    private CommitResult refusal(Split split, View before) {
        for (var change : split.redo().changes().entrySet()) {
            KvStorage storage = stores.get(change.getKey()).storage();
            int keyBytesMax = storage.keyBytesMax();
            if (change.getValue().stream().anyMatch(one -> one.key().length() > keyBytesMax)) {
                return new Unavailable(
                        new StorageException(
                                Kind.TOO_LARGE, "a key is too long for store " + change.getKey()));
            }
        }
        // A store that cannot be read will not be written: better before the commit than after.
        split.redo().changes().keySet().stream()
                .filter(moments.layout().stores()::contains)
                .forEach(before::of);
        for (Mutation mutation : split.guarded()) {
            Bytes actual = before.get(mutation.key());
            if (!mutation.holds(actual)) {
                return new CommitResult.Conflict(mutation.key(), Optional.ofNullable(actual));
            }
        }
        return null;
    }

    private CompletionStage<CommitResult> begin(
            WriteBatch batch, PlacementRecord next, Redo redo, View before) {
        WholeCommit whole =
                new WholeCommit(
                        base,
                        stores,
                        moments,
                        batch,
                        redo,
                        before,
                        committed -> ended(committed, committed ? next : record));
        unsettled = whole;
        return whole.begin();
    }

    private void ended(boolean committed, PlacementRecord outcome) {
        unsettled = null;
        stored |= committed;
        boolean moved = !outcome.placements().equals(record.placements());
        record = outcome;
        moments.set(moved ? new Layout(outcome.placements(), ranges) : moments.layout());
    }

    /** A batch that changes no prefix that is read; written in a turn. */
    private final class ChunkCommit implements Unsettled {
        /** Null: the base. */
        private final PlacedStore store;

        private final KvStorage target;
        private final WriteBatch batch;
        private final Position next;

        ChunkCommit(PlacedStore store, WriteBatch batch, Position next) {
            this.store = store;
            this.target = store == null ? base : store.storage();
            this.batch = batch;
            this.next = next;
        }

        CompletionStage<CommitResult> begin() {
            unsettled = this;
            return Futures.certain(target.commit(batch)).thenApply(this::end);
        }

        @Override
        public CompletionStage<CommitResult> settle() {
            return Futures.certain(target.resolve(batch)).thenApply(this::end);
        }

        private CommitResult end(CommitResult end) {
            if (!(end instanceof Uncertain)) {
                unsettled = null;
            }
            if (end instanceof Committed committed) {
                copied = next;
                if (store != null) {
                    store.at(committed.timestamp());
                }
            }
            return end;
        }
    }

    // For threads that may block

    /**
     * Does work that may block in a turn, when all earlier commits are final.
     *
     * @throws StorageException if they are not, and what the work throws
     */
    void work(Runnable work) {
        turns.work(
                () -> {
                    CommitResult end = Futures.join(settled(() -> done(new Committed(0))));
                    if (!(end instanceof Committed)) {
                        throw Futures.failure(end);
                    }
                    work.run();
                });
    }

    /** Replaces the record of placements; in a turn. */
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

    /** How far the prefix that moves is copied; in a turn. */
    Position copied() {
        return copied;
    }

    /** Begins a copy; in a turn. */
    void startCopy(Position start) {
        copied = start;
    }

    /** Commits a part of a copy to a store; in a turn. */
    void copy(String store, WriteBatch batch, Position next) {
        CommitResult end = Futures.join(new ChunkCommit(stores.get(store), batch, next).begin());
        if (!(end instanceof Committed)) {
            throw Futures.failure(end);
        }
    }

    /** Refuses commits and snapshots, and waits for commits. */
    void close() {
        turns.close();
    }

    /** Readers learn that the storage closes. */
    void refuseReads() {
        moments.refuseReads();
    }

    private static CompletionStage<CommitResult> done(CommitResult end) {
        return CompletableFuture.completedFuture(end);
    }
}
