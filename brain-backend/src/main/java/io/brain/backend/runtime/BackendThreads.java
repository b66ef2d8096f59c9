package io.brain.backend.runtime;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * The runtime of a real backend: threads, clock and random numbers of the JVM. Nothing else in this
 * module starts a thread or reads the time.
 *
 * <p>Every queue is bounded. If it is full, a task is refused with {@link
 * RejectedExecutionException}; a scheduled task is retried a little later. Tasks that arrive after
 * {@link #close} are dropped.
 */
public final class BackendThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackendThreads.class);
    private static final int TASKS_MAX = 1 << 16;
    private static final int LOG_READER_THREADS = 2;
    private static final int BACKGROUND_THREADS = 2;

    /** Two, so that a term can begin while a follower's read still blocks. */
    private static final int TAKEOVER_THREADS = 2;

    private static final Duration FULL_PAUSE = Duration.ofMillis(10);
    private static final Duration JOIN_MAX = Duration.ofSeconds(10);

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, named("timer"));

    /** By name, in order of creation. */
    private final Map<String, ExecutorService> pools = new LinkedHashMap<>();

    private final BackendRuntime runtime;

    /**
     * Starts the threads.
     *
     * @param readerThreads usually one per core
     */
    public BackendThreads(int readerThreads) {
        timer.setRemoveOnCancelPolicy(true);
        Executor sequencer = pool("sequencer", 1);
        Executor prompt = pool("prompt", 1);
        runtime =
                new BackendRuntime(
                        Clock.of(System::nanoTime, System::currentTimeMillis),
                        this::schedule,
                        sequencer,
                        pool("watch", 1),
                        prompt,
                        pool("reader", readerThreads),
                        pool("log-reader", LOG_READER_THREADS),
                        pool("background", BACKGROUND_THREADS),
                        pool("takeover", TAKEOVER_THREADS),
                        pool("elector", 1),
                        new SecureRandom(),
                        BackendListener.NONE);
        pools.put("timer", timer);
    }

    public BackendRuntime runtime() {
        return runtime;
    }

    /**
     * Completes submitted tasks and joins the threads, in reverse order of creation; waits 10 s for
     * each kind. To be called after the backend is closed and before the storage is.
     *
     * @throws IllegalStateException if threads did not end
     */
    @Override
    public void close() {
        timer.shutdownNow();
        List<String> names = new ArrayList<>(pools.keySet());
        Collections.reverse(names);
        names.removeIf(name -> join(pools.get(name)));
        if (!names.isEmpty()) {
            throw new IllegalStateException("threads did not end: " + names);
        }
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        Timed timed = new Timed(executor, task);
        timed.in(delay);
        return timed;
    }

    private Executor pool(String name, int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(TASKS_MAX),
                        named(name),
                        (task, full) -> {
                            if (!full.isShutdown()) {
                                throw new RejectedExecutionException(name + " queue is full");
                            }
                        });
        pools.put(name, pool);
        return pool;
    }

    private static ThreadFactory named(String name) {
        AtomicInteger started = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "brain-" + name + "-" + started.getAndIncrement());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(
                    (dead, cause) ->
                            LOG.error("unexpected error thread={}", dead.getName(), cause));
            return thread;
        };
    }

    /** False if the threads did not end in time. */
    private static boolean join(ExecutorService pool) {
        pool.shutdown();
        boolean ended = false;
        try {
            ended = pool.awaitTermination(JOIN_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            pool.shutdownNow();
        }
        return ended;
    }

    /** A task that waits for its delay, and then for room in its executor. */
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
                executor.execute(this::begin);
            } catch (RejectedExecutionException full) {
                in(FULL_PAUSE);
            }
        }

        private void begin() {
            if (!cancelled) {
                task.run();
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
