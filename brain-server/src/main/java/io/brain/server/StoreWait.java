package io.brain.server;

import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits, at the start of a server, for a store that several servers share, and for a leader: as
 * long as it takes, as an etcd waits for its peers, until the process is to end. Says so at most
 * every half a minute.
 */
final class StoreWait {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWait.class);

    private static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

    private final CompletableFuture<Void> stop;
    private final Duration pauseMin;
    private final Duration pauseMax;
    private long logged = System.nanoTime() - LOG_INTERVAL.toNanos();

    /**
     * A wait.
     *
     * @param stop completes when the process is to end
     * @param pauseMin between the first attempts
     * @param pauseMax between later ones
     */
    StoreWait(CompletableFuture<Void> stop, Duration pauseMin, Duration pauseMax) {
        this.stop = stop;
        this.pauseMin = pauseMin;
        this.pauseMax = pauseMax;
    }

    /** Something that needs the store. */
    @FunctionalInterface
    interface Step<T> {
        /** Does it, or fails with UNAVAILABLE if it may work later. May block. */
        T run() throws ServerException;
    }

    /**
     * Repeats a step while the store is away.
     *
     * @throws StopException as soon as the process is to end; a running attempt is abandoned
     */
    <T> T repeat(Step<T> step) throws ServerException {
        Duration pause = pauseMin;
        while (true) {
            try {
                return attempt(step);
            } catch (StorageException failure) {
                if (failure.kind() != StorageException.Kind.UNAVAILABLE) {
                    throw failure;
                }
                log("waiting for the store: {}", failure.getMessage());
                sleep(pause);
                Duration next = pause.multipliedBy(2);
                pause = next.compareTo(pauseMax) < 0 ? next : pauseMax;
            }
        }
    }

    /** Waits until a leader is known. */
    void await(CompletableFuture<Void> elected) throws ServerException {
        while (!isDone(elected, LOG_INTERVAL)) {
            log("waiting for a leader{}", "");
        }
        result(elected);
    }

    /** On a thread of its own, which keeps no process from ending. */
    private <T> T attempt(Step<T> step) throws ServerException {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(step, done), "brain-start");
        thread.setDaemon(true);
        thread.start();
        while (!isDone(done, LOG_INTERVAL)) {
            log("waiting for the store{}", "");
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

    private void sleep(Duration pause) throws ServerException {
        boolean over = isDone(new CompletableFuture<>(), pause);
        assert !over;
    }

    /** Waits for {@code max} at most; false if it is not done by then. */
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

    private void log(String line, String detail) {
        if (System.nanoTime() - logged >= LOG_INTERVAL.toNanos()) {
            logged = System.nanoTime();
            LOG.warn(line, detail);
        }
    }
}
