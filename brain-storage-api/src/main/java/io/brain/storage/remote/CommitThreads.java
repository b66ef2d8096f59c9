package io.brain.storage.remote;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Threads that wait for a store in place of those that commit. Thread-safe. */
public final class CommitThreads {
    private static final int WAITING_MAX = 1024;
    private static final long WAITING_BYTES_MAX = 64L << 20;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;
    private final AtomicLong waitingBytes = new AtomicLong();

    /** Up to {@code count} threads, whose names begin with {@code name}. */
    public CommitThreads(String name, int count) {
        this(count, numbered(name));
    }

    /** For tests that simulate thread exhaustion. */
    CommitThreads(int count, ThreadFactory factory) {
        threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(WAITING_MAX),
                        factory);
        threads.allowCoreThreadTimeOut(true);
    }

    private static ThreadFactory numbered(String name) {
        AtomicInteger started = new AtomicInteger();
        return task -> new Thread(task, name + started.incrementAndGet());
    }

    /**
     * Runs work within a handle; every failure is a StorageException.
     *
     * @param bytes that the work keeps in memory while it waits
     */
    public <T> CompletableFuture<T> call(OpenHandles handles, long bytes, Supplier<T> work) {
        OpenHandles.Handle handle;
        try {
            handle = handles.open("commit");
        } catch (StorageException closed) {
            return CompletableFuture.failedFuture(closed);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            run(
                    bytes,
                    () -> {
                        try {
                            answer.complete(work.get());
                        } catch (RuntimeException | Error e) {
                            answer.completeExceptionally(failure(e));
                        } finally {
                            handle.release();
                        }
                    });
        } catch (RejectedExecutionException e) {
            handle.release();
            answer.completeExceptionally(
                    new StorageException(Kind.UNAVAILABLE, "commit queue is full", e));
        } catch (RuntimeException | Error e) { // no memory
            handle.release();
            throw e;
        }
        return answer;
    }

    /** What any failure of a commit means for the caller. */
    public static StorageException failure(Throwable failure) {
        return failure instanceof StorageException known
                ? known
                : new StorageException(Kind.UNAVAILABLE, "unexpected error: " + failure, failure);
    }

    /**
     * Runs work.
     *
     * @throws RejectedExecutionException if the queue is full or no thread can be started; the work
     *     then never runs
     */
    public void run(long bytes, Runnable work) {
        Once once = new Once(bytes, work);
        try {
            if (once.waiting > WAITING_BYTES_MAX && once.waiting > bytes) {
                throw new RejectedExecutionException("commit queue is full (bytes)");
            }
            threads.execute(once);
        } catch (RuntimeException | Error e) { // the queue is full, or no thread can be started
            if (once.take()) {
                throw new RejectedExecutionException(
                        "commit queue is full or no thread available", e);
            }
        }
    }

    /** Work that runs once: a pool may have queued it although it failed to start a thread. */
    private final class Once implements Runnable {
        private final AtomicBoolean taken = new AtomicBoolean();
        private final long bytes;
        private final Runnable work;

        /** Bytes that wait, with these. */
        private final long waiting;

        Once(long bytes, Runnable work) {
            this.bytes = bytes;
            this.work = work;
            this.waiting = waitingBytes.addAndGet(bytes);
        }

        /** True for the first caller only. */
        boolean take() {
            boolean first = taken.compareAndSet(false, true);
            if (first) {
                waitingBytes.addAndGet(-bytes);
            }
            return first;
        }

        @Override
        public void run() {
            if (take()) {
                work.run();
            }
        }
    }

    /** Waits for what was accepted, and for the threads; false if already stopped. */
    public boolean stop() {
        if (threads.isShutdown()) {
            return false;
        }
        threads.shutdown();
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = threads.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
