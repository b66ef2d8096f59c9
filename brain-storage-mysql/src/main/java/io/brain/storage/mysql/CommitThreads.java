package io.brain.storage.mysql;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that wait for the database in place of those that commit. */
final class CommitThreads {
    private static final int WAITING_MAX = 1024;
    private static final long WAITING_BYTES_MAX = 64L << 20;

    private final ThreadPoolExecutor threads;
    private final AtomicLong waitingBytes = new AtomicLong();

    CommitThreads(int count) {
        AtomicInteger started = new AtomicInteger();
        threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(WAITING_MAX),
                        task -> new Thread(task, "sql-commit-" + started.incrementAndGet()));
        threads.prestartAllCoreThreads();
    }

    /**
     * Runs a commit.
     *
     * @throws RejectedExecutionException if the queue is full; the work then never runs
     */
    void run(long bytes, Runnable work) {
        long waiting = waitingBytes.addAndGet(bytes);
        try {
            if (waiting > WAITING_BYTES_MAX && waiting > bytes) {
                throw new RejectedExecutionException("commit queue is full (bytes)");
            }
            threads.execute(
                    () -> {
                        waitingBytes.addAndGet(-bytes);
                        work.run();
                    });
        } catch (RuntimeException | Error e) {
            waitingBytes.addAndGet(-bytes);
            throw e;
        }
    }

    /** Stops the idle threads and waits for them; false if already stopped. */
    boolean stop() {
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
