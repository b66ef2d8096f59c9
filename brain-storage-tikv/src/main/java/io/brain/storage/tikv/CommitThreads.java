package io.brain.storage.tikv;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

/** Threads that run commits, and threads that commit secondaries after the result is reported. */
final class CommitThreads {
    private static final int WAITING_MAX = 1024;
    private static final long WAITING_BYTES_MAX = 64L << 20;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor committers;
    private final ThreadPoolExecutor finishers;
    private final AtomicLong waitingBytes = new AtomicLong();

    CommitThreads(int threads) {
        this(threads, Thread::new);
    }

    /** For tests that simulate thread exhaustion. */
    CommitThreads(int threads, BiFunction<Runnable, String, Thread> thread) {
        committers = pool(threads, "tikv-commit-", thread);
        finishers = pool(threads, "tikv-finish-", thread);
    }

    private static ThreadPoolExecutor pool(
            int threads, String name, BiFunction<Runnable, String, Thread> thread) {
        AtomicInteger started = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(WAITING_MAX),
                        task -> thread.apply(task, name + started.incrementAndGet()));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Runs a commit.
     *
     * @throws RejectedExecutionException if the queue is full or no thread can be started; the work
     *     then never runs
     */
    void commit(long bytes, Runnable work) {
        long waiting = waitingBytes.addAndGet(bytes);
        if (waiting > WAITING_BYTES_MAX && waiting > bytes) {
            waitingBytes.addAndGet(-bytes);
            throw new RejectedExecutionException("commit queue is full (bytes)");
        }
        Once once =
                new Once(
                        () -> {
                            waitingBytes.addAndGet(-bytes);
                            work.run();
                        });
        try {
            committers.execute(once);
        } catch (RuntimeException | Error e) { // the queue is full, or no thread can be started
            if (once.take()) {
                waitingBytes.addAndGet(-bytes);
                throw new RejectedExecutionException(
                        "commit queue is full or no thread available", e);
            }
        }
    }

    /**
     * Runs the remaining work of a commit; on the calling thread, which delays the result, if no
     * thread is available.
     */
    void finish(Runnable work) {
        Once once = new Once(work);
        try {
            finishers.execute(once);
        } catch (RuntimeException | Error e) {
            once.run();
        }
    }

    /** Work that runs once: a pool may have queued it although it failed to start a thread. */
    private static final class Once implements Runnable {
        private final AtomicBoolean taken = new AtomicBoolean();
        private final Runnable work;

        Once(Runnable work) {
            this.work = work;
        }

        /** True for the first caller only. */
        boolean take() {
            return taken.compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (take()) {
                work.run();
            }
        }
    }

    /** Stops the idle threads and waits for them; false if already stopped. */
    boolean stop() {
        if (committers.isShutdown()) {
            return false;
        }
        committers.shutdown();
        finishers.shutdown();
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended =
                        committers.awaitTermination(1, TimeUnit.DAYS)
                                && finishers.awaitTermination(1, TimeUnit.DAYS);
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
