package io.brain.backend;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Releasable;
import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The requests that wait for an answer: each ends in time, and all of them when the node stops.
 * Their number and bytes are bounded where they wait: the sequencer's mailbox, the reads, and
 * {@link LeaderRouter}.
 */
final class PendingRequests {
    private static final Duration SWEEP_INTERVAL = Duration.ofMillis(500);

    /** How a request ends that has no answer. */
    interface Ends {
        /** With what, when it took too long. */
        ErrorKind late();

        /** With what, when it failed. */
        default BackendException failed(Throwable failure) {
            return Failures.of(failure);
        }
    }

    private final BackendRuntime runtime;
    private final long timeoutNanos;

    private final Set<Waiter<?>> waiters = ConcurrentHashMap.newKeySet();
    private volatile BackendException closed;

    PendingRequests(BackendRuntime runtime, Duration timeout) {
        this.runtime = runtime;
        this.timeoutNanos = timeout.toNanos();
    }

    /** How long a request may take. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    /** Begins to end what takes too long. */
    void start() {
        runtime.scheduler().schedule(SWEEP_INTERVAL, runtime.prompt(), this::sweep);
    }

    /**
     * The answer, or a failure if it takes too long, or what the node ends with, whichever comes
     * first.
     *
     * @param ends how to fail; asked when it has to
     */
    <T> CompletableFuture<T> answerInTime(CompletableFuture<T> answer, Ends ends) {
        return answer(answer, ends, runtime.clock().nanos() + timeoutNanos);
    }

    /** The answer, or what the node ends with, whichever comes first. */
    <T> CompletableFuture<T> answer(CompletableFuture<T> answer) {
        return answer(answer, () -> ErrorKind.TIMEOUT, Long.MAX_VALUE);
    }

    /** Ends all with {@code cause}, and those that come later. */
    void close(BackendException cause) {
        closed = cause;
        waiters.forEach(waiter -> waiter.answer.completeExceptionally(cause));
    }

    private <T> CompletableFuture<T> answer(CompletableFuture<T> source, Ends ends, long deadline) {
        Waiter<T> waiter = new Waiter<>(ends, deadline);
        waiters.add(waiter);
        Futures.onEnd(
                source,
                (value, failure) -> {
                    waiters.remove(waiter);
                    waiter.end(value, failure);
                });
        BackendException cause = closed;
        if (cause != null) {
            waiter.answer.completeExceptionally(cause);
        }
        return waiter.answer;
    }

    private void sweep() {
        if (closed != null) {
            return;
        }
        long now = runtime.clock().nanos();
        waiters.removeIf(waiter -> waiter.endIfLate(now));
        start();
    }

    /** A request that waits. */
    private static final class Waiter<T> {
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final Ends ends;

        /** In the clock's nanoseconds. */
        private final long deadline;

        Waiter(Ends ends, long deadline) {
            this.ends = ends;
            this.deadline = deadline;
        }

        boolean endIfLate(long now) {
            return deadline <= now
                    && answer.completeExceptionally(new BackendException(ends.late()));
        }

        void end(T value, Throwable failure) {
            if (failure != null) {
                answer.completeExceptionally(ends.failed(failure));
            } else if (!answer.complete(value)) {
                Releasable.discard(value);
            }
        }
    }
}
