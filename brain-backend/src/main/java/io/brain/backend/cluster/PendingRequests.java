package io.brain.backend.cluster;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Reply;
import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The requests without an answer: each fails after the request timeout, and all fail when the node
 * stops. Their number and bytes are limited elsewhere: by the sequencer's queue, the reads, and
 * {@link LeaderRouter}.
 */
public final class PendingRequests {
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    private final BackendRuntime runtime;
    private final long timeoutNanos;
    private final Set<Pending<?>> requests = ConcurrentHashMap.newKeySet();
    private volatile BackendException closed;

    public PendingRequests(BackendRuntime runtime, Duration timeout) {
        this.runtime = runtime;
        this.timeoutNanos = timeout.toNanos();
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** Starts to check timeouts. */
    public void start() {
        runtime.scheduler().schedule(CHECK_INTERVAL, runtime.prompt(), this::check);
    }

    /**
     * The answer, or a failure after the request timeout or when the node stops.
     *
     * @param late the error after the timeout
     */
    <T> CompletableFuture<T> withTimeout(CompletableFuture<T> answer, Supplier<ErrorKind> late) {
        return withTimeout(answer, late, Failures::of);
    }

    /**
     * The answer, or a failure after the request timeout or when the node stops.
     *
     * @param late the error after the timeout
     * @param failed the error for a failure
     */
    <T> CompletableFuture<T> withTimeout(
            CompletableFuture<T> answer,
            Supplier<ErrorKind> late,
            Function<Throwable, BackendException> failed) {
        return add(answer, runtime.clock().nanos() + timeoutNanos, late, failed);
    }

    /** The answer, or a failure when the node stops. */
    <T> CompletableFuture<T> withoutTimeout(CompletableFuture<T> answer) {
        return add(answer, Long.MAX_VALUE, () -> ErrorKind.TIMEOUT, Failures::of);
    }

    /** Fails all requests, also later ones, with {@code cause}. */
    public void close(BackendException cause) {
        closed = cause;
        requests.forEach(request -> request.shown.completeExceptionally(cause));
    }

    private <T> CompletableFuture<T> add(
            CompletableFuture<T> answer,
            long deadlineNanos,
            Supplier<ErrorKind> late,
            Function<Throwable, BackendException> failed) {
        CompletableFuture<T> shown = new CompletableFuture<>();
        Pending<T> request = new Pending<>(shown, deadlineNanos, late, failed);
        requests.add(request);
        Futures.onEnd(
                answer,
                (value, failure) -> {
                    requests.remove(request);
                    request.end(value, failure);
                });
        BackendException cause = closed;
        if (cause != null) {
            shown.completeExceptionally(cause);
        }
        return shown;
    }

    private void check() {
        if (closed == null) {
            long now = runtime.clock().nanos();
            requests.removeIf(request -> request.endIfLate(now));
            start();
        }
    }

    /**
     * A request without an answer.
     *
     * @param shown the client's future
     */
    private record Pending<T>(
            CompletableFuture<T> shown,
            long deadlineNanos,
            Supplier<ErrorKind> late,
            Function<Throwable, BackendException> failed) {
        boolean endIfLate(long now) {
            return deadlineNanos <= now
                    && shown.completeExceptionally(new BackendException(late.get()));
        }

        void end(T value, Throwable failure) {
            if (failure != null) {
                shown.completeExceptionally(failed.apply(failure));
            } else if (!shown.complete(value)) {
                Reply.discard(value);
            }
        }
    }
}
