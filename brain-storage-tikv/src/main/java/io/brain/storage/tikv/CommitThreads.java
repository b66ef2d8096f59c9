package io.brain.storage.tikv;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The threads that commits wait on, and those that finish them behind the answer. */
final class CommitThreads {
    private static final int WAITING_MAX = 1024;
    private static final long WAITING_BYTES_MAX = 64L << 20;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor committers;
    private final ThreadPoolExecutor finishers;
    private final AtomicLong waitingBytes = new AtomicLong();

    CommitThreads(int threads) {
        committers = pool(threads, "tikv-commit-");
        finishers = pool(threads, "tikv-finish-");
        // Never refused: then the committing thread does it, and the answer leaves a bit later.
        finishers.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
    }

    private static ThreadPoolExecutor pool(int threads, String name) {
        AtomicInteger started = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(WAITING_MAX),
                        task -> new Thread(task, name + started.incrementAndGet()));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Runs a commit.
     *
     * @throws RejectedExecutionException if too many wait
     */
    void commit(long bytes, Runnable work) {
        long waiting = waitingBytes.addAndGet(bytes);
        try {
            if (waiting > WAITING_BYTES_MAX && waiting > bytes) {
                throw new RejectedExecutionException("too many bytes wait");
            }
            committers.execute(
                    () -> {
                        waitingBytes.addAndGet(-bytes);
                        work.run();
                    });
        } catch (RejectedExecutionException e) {
            waitingBytes.addAndGet(-bytes);
            throw e;
        }
    }

    /** Runs what is left to do after a commit. */
    void finish(Runnable work) {
        finishers.execute(work);
    }

    /** Ends the threads, which have nothing to do any more; false if they had ended before. */
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
