package io.brain.storage.testkit;

import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A storage with injected commit faults: delayed, refused, or uncertain with the batch committed,
 * not committed, or still in flight. Its results are always correct: a batch reported as not
 * committed is never committed, and resolving returns the outcome.
 *
 * <p>Closing does not wait for commits that are still delayed: they reach a closed engine.
 */
public final class FaultyStorage extends ForwardingKvStorage {
    private final Function<WriteBatch, Fault> plan;
    private final BiConsumer<Duration, Runnable> later;
    private final Map<WriteBatch, Unresolved> unresolved =
            Collections.synchronizedMap(new IdentityHashMap<>());

    /**
     * @param delegate the decorated storage
     * @param plan the fault of each commit, asked once, in the call
     * @param later runs a task after a delay; used for positive delays only
     */
    public FaultyStorage(
            KvStorage delegate,
            Function<WriteBatch, Fault> plan,
            BiConsumer<Duration, Runnable> later) {
        super(delegate);
        this.plan = plan;
        this.later = later;
    }

    /** A storage for faults without delays. */
    public FaultyStorage(KvStorage delegate, Function<WriteBatch, Fault> plan) {
        this(
                delegate,
                plan,
                (delay, task) -> {
                    throw new IllegalStateException("a delay of " + delay + " needs a scheduler");
                });
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        Fault fault = plan.apply(batch);
        CompletableFuture<CommitResult> answer = new CompletableFuture<>();
        after(fault.before(), () -> commit(batch, fault, answer));
        return answer;
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        Unresolved state = unresolved.get(batch);
        if (state == null) {
            return delegate().resolve(batch);
        }
        if (state.failsToResolve()) {
            return CompletableFuture.completedFuture(uncertain(state.fault));
        }
        unresolved.remove(batch);
        state.stop();
        return state.end()
                .thenCompose(
                        end -> {
                            if (end instanceof CommitResult.Uncertain) {
                                return delegate().resolve(batch);
                            }
                            return CompletableFuture.completedFuture(
                                    end instanceof CommitResult.Committed
                                            ? end
                                            : unavailable(state.fault));
                        });
    }

    private void commit(WriteBatch batch, Fault fault, CompletableFuture<CommitResult> answer) {
        switch (fault.outcome()) {
            case NONE ->
                    delegate()
                            .commit(batch)
                            .thenAccept(end -> after(fault.after(), () -> answer.complete(end)));
            case UNAVAILABLE -> answer.complete(unavailable(fault));
            case CONFLICT -> answer.complete(conflict(batch));
            case UNCERTAIN_NOT_APPLIED -> {
                unresolved.put(batch, new Unresolved(batch, fault));
                answer.complete(uncertain(fault));
            }
            case UNCERTAIN_APPLIED -> {
                Unresolved state = new Unresolved(batch, fault);
                unresolved.put(batch, state);
                state.apply();
                state.end()
                        .thenAccept(
                                end ->
                                        after(
                                                fault.after(),
                                                () -> answer.complete(uncertain(fault))));
            }
            case UNCERTAIN_THEN_APPLIED -> {
                Unresolved state = new Unresolved(batch, fault);
                unresolved.put(batch, state);
                answer.complete(uncertain(fault));
                after(fault.after(), state::apply);
            }
        }
    }

    private void after(Duration delay, Runnable task) {
        if (delay.isZero()) {
            task.run();
        } else {
            later.accept(delay, task);
        }
    }

    private CommitResult conflict(WriteBatch batch) {
        try (Snapshot snapshot = delegate().snapshot()) {
            var key = batch.primary().key();
            return new CommitResult.Conflict(key, Optional.ofNullable(snapshot.get(key)));
        } catch (StorageException e) {
            return new CommitResult.Unavailable(e);
        }
    }

    private static CommitResult unavailable(Fault fault) {
        return new CommitResult.Unavailable(
                new StorageException(fault.kind(), "injected: not committed"));
    }

    private static CommitResult uncertain(Fault fault) {
        return new CommitResult.Uncertain(
                new StorageException(fault.kind(), "injected: no response to commit"));
    }

    /** A batch with an outcome unknown to its owner. */
    private final class Unresolved {
        private final WriteBatch batch;
        private final Fault fault;
        private final CompletableFuture<CommitResult> end = new CompletableFuture<>();
        private int failedResolves;
        private boolean decided;

        Unresolved(WriteBatch batch, Fault fault) {
            this.batch = batch;
            this.fault = fault;
        }

        /** Outcome of the batch. */
        CompletionStage<CommitResult> end() {
            return end;
        }

        /** Sends the batch to the engine, unless it was stopped before. */
        void apply() {
            if (decide()) {
                delegate().commit(batch).thenAccept(end::complete);
            }
        }

        /** Ensures that the batch is never committed, unless it was sent. */
        void stop() {
            if (decide()) {
                end.complete(unavailable(fault));
            }
        }

        synchronized boolean failsToResolve() {
            return failedResolves++ < fault.uncertainResolves();
        }

        private synchronized boolean decide() {
            boolean first = !decided;
            decided = true;
            return first;
        }
    }
}
