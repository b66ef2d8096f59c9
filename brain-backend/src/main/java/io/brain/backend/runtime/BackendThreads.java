package io.brain.backend.runtime;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The real world for a backend: the threads it runs on, the machine's clock and random numbers.
 * Starts and names the threads, joins them in {@link #close}. Nothing else in this module starts a
 * thread or asks for the time.
 *
 * <p>Every queue is bounded. A task that finds its queue full is refused with {@link
 * RejectedExecutionException}, but for one of the timer's, which is tried again a little later; one
 * that comes after {@link #close} began is dropped.
 */
public final class BackendThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackendThreads.class);
    private static final int TASKS_MAX = 1 << 16;
    private static final int LOG_READER_THREADS = 2;
    private static final int BACKGROUND_THREADS = 2;

    /** One for a term that begins while a follower's read of the store still hangs. */
    private static final int TAKEOVER_THREADS = 2;

    private static final Duration FULL_PAUSE = Duration.ofMillis(10);
    private static final Duration JOIN_MAX = Duration.ofSeconds(10);

    private final ThreadPoolExecutor sequencer = pool("brain-sequencer", 1, TASKS_MAX);
    private final ThreadPoolExecutor watch = pool("brain-watch", 1, TASKS_MAX);
    private final ThreadPoolExecutor prompt = pool("brain-prompt", 1, TASKS_MAX);
    private final ThreadPoolExecutor readers;
    private final ThreadPoolExecutor logReaders =
            pool("brain-log-reader", LOG_READER_THREADS, TASKS_MAX);
    private final ThreadPoolExecutor background =
            pool("brain-background", BACKGROUND_THREADS, TASKS_MAX);
    private final ThreadPoolExecutor takeover = pool("brain-takeover", TAKEOVER_THREADS, TASKS_MAX);
    private final ThreadPoolExecutor elector = pool("brain-elector", 1, TASKS_MAX);
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, named("brain-timer"));
    private final BackendRuntime runtime;

    /**
     * Starts the threads.
     *
     * @param readerThreads threads for scans and point reads that may block; usually one per core
     */
    public BackendThreads(int readerThreads) {
        readers = pool("brain-reader", readerThreads, TASKS_MAX);
        timer.setRemoveOnCancelPolicy(true);
        runtime =
                new BackendRuntime(
                        System::nanoTime,
                        this::schedule,
                        sequencer,
                        watch,
                        prompt,
                        readers,
                        logReaders,
                        background,
                        takeover,
                        elector,
                        new SecureRandom());
    }

    /** What a backend is given. */
    public BackendRuntime runtime() {
        return runtime;
    }

    /**
     * Lets what was handed over finish, and joins the threads; waits 10 s for each kind. To be
     * called after the backend was closed and before its storage is.
     *
     * @throws IllegalStateException if threads did not end; names them
     */
    @Override
    public void close() {
        timer.shutdownNow();
        List<String> stuck = new ArrayList<>();
        join(timer, "timer", stuck);
        join(elector, "elector", stuck);
        join(takeover, "takeover", stuck);
        join(background, "background", stuck);
        join(logReaders, "logReaders", stuck);
        join(readers, "readers", stuck);
        join(watch, "watch", stuck);
        join(prompt, "prompt", stuck);
        join(sequencer, "sequencer", stuck);
        if (!stuck.isEmpty()) {
            throw new IllegalStateException("threads did not end: " + stuck);
        }
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        Timed timed = new Timed(executor, task);
        timed.in(delay);
        return timed;
    }

    private static ThreadPoolExecutor pool(String name, int threads, int tasksMax) {
        return new ThreadPoolExecutor(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(tasksMax),
                named(name),
                (task, pool) -> {
                    if (!pool.isShutdown()) {
                        throw new RejectedExecutionException(name + " has too much to do");
                    }
                });
    }

    private static ThreadFactory named(String name) {
        AtomicInteger started = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + started.getAndIncrement());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(
                    (dead, cause) -> LOG.error("unexpected failure on {}", dead.getName(), cause));
            return thread;
        };
    }

    private static void join(ExecutorService pool, String name, List<String> stuck) {
        pool.shutdown();
        boolean ended = false;
        try {
            ended = pool.awaitTermination(JOIN_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            pool.shutdownNow();
            stuck.add(name);
        }
    }

    /** A task that waits for its time, and then for room on its executor. */
    private final class Timed implements Scheduler.Timer, Runnable {
        private final Executor executor;
        private final Runnable task;
        private volatile Future<?> next;
        private volatile boolean cancelled;

        Timed(Executor executor, Runnable task) {
            this.executor = executor;
            this.task = task;
        }

        void in(Duration delay) {
            try {
                next = timer.schedule(this, delay.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closed) {
                cancelled = true;
            }
        }

        @Override
        public void run() {
            if (cancelled) {
                return;
            }
            try {
                executor.execute(task);
            } catch (RejectedExecutionException full) {
                in(FULL_PAUSE);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            Future<?> waiting = next;
            if (waiting != null) {
                waiting.cancel(false);
            }
        }
    }
}
