package io.brain.storage.placed;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Runs steps one at a time, in the order of their calls; a step lasts until its stage completes.
 * Without a thread: a step begins in the call, or on the thread that ended the step before. What
 * only steps use needs no lock.
 */
final class CommitQueue {
    private static final int WAITING_MAX = 1024;
    private static final long WAITING_BYTES_MAX = 64L << 20;

    private final Deque<QueuedStep<?>> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean running;
    private boolean closed;

    /**
     * Runs a step.
     *
     * @param bytes that it holds while it waits
     * @param step must not block; a failure of the call is one of its stage
     * @return fails with a {@link StorageException}, kind UNAVAILABLE if too many wait, CLOSED
     *     after {@link #close}
     */
    <T> CompletableFuture<T> run(long bytes, Supplier<CompletionStage<T>> step) {
        QueuedStep<T> queued = new QueuedStep<>(bytes, step);
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new StorageException(Kind.CLOSED, "storage is closed"));
            }
            boolean full = waitingBytes + bytes > WAITING_BYTES_MAX && !waiting.isEmpty();
            if (full || waiting.size() >= WAITING_MAX) {
                return CompletableFuture.failedFuture(
                        new StorageException(Kind.UNAVAILABLE, "too many commits wait"));
            }
            waiting.add(queued);
            waitingBytes += bytes;
            if (running) {
                return queued.answer;
            }
            running = true;
        }
        drain();
        return queued.answer;
    }

    /**
     * Waits for its place in the queue and does work that may block, on this thread.
     *
     * @throws StorageException as {@link #run}, and what the work throws
     */
    void work(Runnable work) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> whole =
                run(
                        0,
                        () -> {
                            begun.complete(null);
                            return end;
                        });
        Futures.join(whole.isCompletedExceptionally() ? whole : begun);
        try {
            work.run();
        } finally {
            end.complete(null);
        }
    }

    /** Refuses further steps, and waits for those that were accepted. */
    synchronized void close() {
        closed = true;
        boolean interrupted = false;
        while (running) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void drain() {
        QueuedStep<?> next = take();
        // A loop, because steps of an engine without a thread would recurse.
        while (next != null && next.begin(this::drain)) {
            next = take();
        }
    }

    private synchronized QueuedStep<?> take() {
        QueuedStep<?> next = waiting.poll();
        if (next == null) {
            running = false;
            notifyAll();
        } else {
            waitingBytes -= next.bytes;
        }
        return next;
    }

    private static final class QueuedStep<T> {
        private final long bytes;
        private final Supplier<CompletionStage<T>> step;
        private final CompletableFuture<T> answer = new CompletableFuture<>();

        QueuedStep(long bytes, Supplier<CompletionStage<T>> step) {
            this.bytes = bytes;
            this.step = step;
        }

        /** Begins the step; true if it has ended, otherwise calls {@code after} when it does. */
        boolean begin(Runnable after) {
            CompletableFuture<T> stage;
            try {
                stage = step.get().toCompletableFuture();
            } catch (RuntimeException | Error failure) {
                stage = CompletableFuture.failedFuture(failure);
            }
            if (stage.isDone()) {
                end(stage);
                return true;
            }
            CompletableFuture<T> running = stage;
            var unused =
                    stage.whenComplete(
                            (value, failure) -> {
                                end(running);
                                after.run();
                            });
            return false;
        }

        private void end(CompletableFuture<T> stage) {
            try {
                answer.complete(stage.join());
            } catch (RuntimeException failure) {
                answer.completeExceptionally(Futures.cause(failure));
            }
        }
    }
}
