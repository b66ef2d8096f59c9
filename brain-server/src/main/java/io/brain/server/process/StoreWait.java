package io.brain.server.process;

import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits during startup for a shared store and for a leader: without a timeout, as an etcd waits for
 * its peers, until the process must stop. Logs at most every 30 seconds.
 */
public final class StoreWait {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWait.class);

    private static final Duration ELECTION_MAX = Duration.ofSeconds(60);
    private static final Duration ASK_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

    private final CompletableFuture<Void> stop;
    private final Duration pauseMin;
    private final Duration pauseMax;
    private long logged = System.nanoTime() - LOG_INTERVAL.toNanos();

    /**
     * Creates a wait.
     *
     * @param stop completes when the process must stop
     * @param pauseMin initial backoff
     * @param pauseMax maximum backoff
     */
    public StoreWait(CompletableFuture<Void> stop, Duration pauseMin, Duration pauseMax) {
        this.stop = stop;
        this.pauseMin = pauseMin;
        this.pauseMax = pauseMax;
    }

    /** The process must stop before the server is ready. */
    public static final class StopException extends ServerException {
        private static final long serialVersionUID = 1L;

        private StopException() {
            super("stopped before the server was ready", null);
        }
    }

    /** A step of the start that needs the store. */
    @FunctionalInterface
    public interface Step<T> {
        /** Runs the step; fails with UNAVAILABLE if a later attempt may succeed. May block. */
        T run() throws ServerException;
    }

    /**
     * Repeats a step while the store is unavailable.
     *
     * @throws StopException when the process must stop; a running attempt is abandoned
     */
    public <T> T repeat(Step<T> step) throws ServerException {
        Duration pause = pauseMin;
        while (true) {
            try {
                return attempt(step);
            } catch (StorageException failure) {
                if (failure.kind() != StorageException.Kind.UNAVAILABLE) {
                    throw failure;
                }
                log("waiting for the store: " + failure.getMessage());
                var unused = isDone(new CompletableFuture<>(), pause);
                Duration next = pause.multipliedBy(2);
                pause = next.compareTo(pauseMax) < 0 ? next : pauseMax;
            }
        }
    }

    /**
     * Runs a step once, on this thread.
     *
     * @throws StopException if it failed because the process must stop
     */
    public <T> T once(Step<T> step) throws ServerException {
        try {
            return step.run();
        } catch (ServerException | RuntimeException failure) {
            if (stop.isDone()) {
                throw new StopException();
            }
            throw failure;
        }
    }

    /** Waits until a leader is known: on a store that is not shared, 60 s at most. */
    public void awaitElection(CompletableFuture<Void> elected, boolean shared)
            throws ServerException {
        try {
            if (shared) {
                await(elected);
            } else if (isDone(elected, ELECTION_MAX)) {
                result(elected);
            } else {
                throw new ServerException(
                        "no leadership within %d s: see the log above"
                                .formatted(ELECTION_MAX.toSeconds()),
                        null);
            }
        } catch (StorageException refused) {
            throw new ServerException(refused.getMessage(), refused);
        }
    }

    /** Waits until a condition of the store holds, which is asked about every second. */
    public void await(Step<Boolean> condition, String line) throws ServerException {
        while (!repeat(condition)) {
            log(line);
            var unused = isDone(new CompletableFuture<>(), ASK_INTERVAL);
        }
    }

    /** Waits until a leader is known. */
    public void await(CompletableFuture<Void> elected) throws ServerException {
        await(elected, "waiting for a leader");
    }

    /** Runs an attempt on a daemon thread. */
    private <T> T attempt(Step<T> step) throws ServerException {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(step, done), "brain-start");
        thread.setDaemon(true);
        thread.start();
        return await(done, "waiting for the store");
    }

    private <T> T await(CompletableFuture<T> done, String line) throws ServerException {
        while (!isDone(done, LOG_INTERVAL)) {
            log(line);
        }
        return result(done);
    }

    private static <T> void run(Step<T> step, CompletableFuture<T> done) {
        try {
            done.complete(step.run());
        } catch (ServerException | RuntimeException | Error failure) {
            done.completeExceptionally(failure);
        }
    }

    /** Waits for at most {@code max}; returns false on a timeout. */
    private boolean isDone(CompletableFuture<?> future, Duration max) throws ServerException {
        try {
            CompletableFuture.anyOf(future.handle((value, failure) -> null), stop)
                    .get(max.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while starting", interrupted);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
        if (stop.isDone()) {
            throw new StopException();
        }
        return true;
    }

    private static <T> T result(CompletableFuture<T> done) throws ServerException {
        try {
            return done.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof ServerException known) {
                throw known;
            }
            if (failed.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new ServerException(failed.getCause().getMessage(), failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while starting", interrupted);
        }
    }

    private void log(String line) {
        if (System.nanoTime() - logged >= LOG_INTERVAL.toNanos()) {
            logged = System.nanoTime();
            LOG.warn(line);
        }
    }
}
