package io.brain.backend.cluster;

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
 * The requests that wait for an answer: each fails after the request timeout, and all of them when
 * the node stops. Their number and bytes are bounded where they wait: the sequencer's mailbox, the
 * reads, and {@link LeaderRouter}.
 */
public final class PendingRequests {
    private static final Duration SWEEP_INTERVAL = Duration.ofMillis(500);

    /** How a request fails. */
    interface Ends {
        /** The error after the timeout. */
        ErrorKind late();

        /** The error for a failure. */
        default BackendException failed(Throwable failure) {
            return Failures.of(failure);
        }
    }

    private final BackendRuntime runtime;
    private final long timeoutNanos;

    private final Set<Waiter<?>> waiters = ConcurrentHashMap.newKeySet();
    private volatile BackendException closed;

    public PendingRequests(BackendRuntime runtime, Duration timeout) {
        this.runtime = runtime;
        this.timeoutNanos = timeout.toNanos();
    }

    /** The request timeout. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    /** Starts to check timeouts. */
    public void start() {
        runtime.scheduler().schedule(SWEEP_INTERVAL, runtime.prompt(), this::sweep);
    }

    /**
     * The answer, a failure after the request timeout, or the cause with which the node stops,
     * whichever comes first.
     *
     * @param ends how to fail; called when it does
     */
    <T> CompletableFuture<T> answerInTime(CompletableFuture<T> answer, Ends ends) {
        return answer(answer, ends, runtime.clock().nanos() + timeoutNanos);
    }

    /** The answer, or the cause with which the node stops, whichever comes first. */
    <T> CompletableFuture<T> answer(CompletableFuture<T> answer) {
        return answer(answer, () -> ErrorKind.TIMEOUT, Long.MAX_VALUE);
    }

    /** Fails all requests, and later ones, with {@code cause}. */
    public void close(BackendException cause) {
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
