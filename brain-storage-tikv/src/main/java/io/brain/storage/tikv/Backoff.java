package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How long one call goes on asking, with growing pauses. Used by one thread at a time. */
final class Backoff {
    private static final long PAUSE_MAX_MILLIS = 250;

    private final long deadline;
    private long pauseMillis = 1;

    Backoff(Duration total) {
        this.deadline = System.nanoTime() + total.toNanos();
    }

    boolean isOver() {
        return deadline - System.nanoTime() <= 0;
    }

    /** What is left, at least a millisecond. */
    int leftMillis() {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return (int) Math.max(1, Math.min(left, Integer.MAX_VALUE));
    }

    /**
     * Waits before the next try.
     *
     * @param what is wrong, for the failure
     * @param cause may be null
     * @throws StorageException kind UNAVAILABLE when there was enough waiting
     */
    void pause(String what, Throwable cause) {
        if (isOver()) {
            // gRPC's messages can have many lines.
            String line = ("TiKV: " + what).replace('\n', ' ');
            throw new StorageException(Kind.UNAVAILABLE, line, cause);
        }
        long pause = pauseMillis + ThreadLocalRandom.current().nextLong(pauseMillis + 1);
        pauseMillis = Math.min(PAUSE_MAX_MILLIS, pauseMillis * 2);
        try {
            TimeUnit.MILLISECONDS.sleep(Math.min(pause, leftMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(Kind.UNAVAILABLE, "interrupted: " + what, e);
        }
    }
}
