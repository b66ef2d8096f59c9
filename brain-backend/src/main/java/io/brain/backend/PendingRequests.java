package io.brain.backend;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.read.Reply;
import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The requests that wait for an answer: each ends in time, and all of them when the node stops. How
 * many there may be is the sequencer's limit, not checked again here.
 */
final class PendingRequests {
    private static final Duration SWEEP_INTERVAL = Duration.ofMillis(500);

    private final BackendRuntime runtime;
    private final long timeoutNanos;

    private final Set<Waiter<?>> waiters = ConcurrentHashMap.newKeySet();
    private volatile BackendException closed;

    PendingRequests(BackendRuntime runtime, Duration timeout) {
        this.runtime = runtime;
        this.timeoutNanos = timeout.toNanos();
    }

    /** Begins to end what takes too long. */
    void start() {
        runtime.scheduler().schedule(SWEEP_INTERVAL, runtime.background(), this::sweep);
    }

    /** The answer, or TIMEOUT, or what the node ends with, whichever comes first. */
    <T> CompletableFuture<T> answerInTime(CompletionStage<T> answer) {
        return answer(answer, runtime.clock().nanos() + timeoutNanos);
    }

    /** The answer, or what the node ends with, whichever comes first. */
    <T> CompletableFuture<T> answer(CompletionStage<T> answer) {
        return answer(answer, Long.MAX_VALUE);
    }

    /** Ends all with {@code cause}, and those that come later. */
    void close(BackendException cause) {
        closed = cause;
        waiters.forEach(waiter -> waiter.answer.completeExceptionally(cause));
    }

    private <T> CompletableFuture<T> answer(CompletionStage<T> source, long deadline) {
        Waiter<T> waiter = new Waiter<>(deadline);
        waiters.add(waiter);
        source.whenComplete(
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

        /** In the clock's nanoseconds. */
        private final long deadline;

        Waiter(long deadline) {
            this.deadline = deadline;
        }

        boolean endIfLate(long now) {
            return deadline <= now
                    && answer.completeExceptionally(new BackendException(ErrorKind.TIMEOUT));
        }

        void end(T value, Throwable failure) {
            if (failure != null) {
                answer.completeExceptionally(Failures.of(failure));
            } else if (!answer.complete(value) && value instanceof Reply<?> late) {
                late.held().close();
            }
        }
    }
}
