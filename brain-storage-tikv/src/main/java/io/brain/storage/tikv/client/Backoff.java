package io.brain.storage.tikv.client;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Retry delays of one call: exponential with jitter, up to a deadline. A call that holds a lock
 * sends heartbeats while it waits. Not thread-safe.
 */
public final class Backoff {
    private static final long PAUSE_MAX_MILLIS = 250;

    private final long deadline;
    private final boolean failsFast;
    private final Runnable heartbeat;
    private final long beatNanos;

    /** {@link System#nanoTime} from which the next heartbeat is due. */
    private long nextBeat;

    private long pauseMillis = 1;

    public Backoff(Duration total) {
        this(System.nanoTime() + total.toNanos(), false, () -> {}, Duration.ofDays(1));
    }

    private Backoff(long deadline, boolean failsFast, Runnable heartbeat, Duration interval) {
        this.deadline = deadline;
        this.failsFast = failsFast;
        this.heartbeat = heartbeat;
        this.beatNanos = interval.toNanos();
        this.nextBeat = System.nanoTime() + beatNanos;
    }

    /**
     * A backoff with the same deadline that sends heartbeats.
     *
     * @param heartbeat sends one; must not use the returned backoff
     * @param interval least time between two, and the longest pause without one
     */
    public Backoff beating(Runnable heartbeat, Duration interval) {
        return new Backoff(deadline, failsFast, heartbeat, interval);
    }

    /** A backoff with the same deadline of a call that does not wait for a silent store. */
    public Backoff failingFast() {
        return new Backoff(deadline, true, heartbeat, Duration.ofNanos(beatNanos));
    }

    /** True if the call fails at once where it would have to wait for a silent store. */
    boolean failsFast() {
        return failsFast;
    }

    /** Sends a heartbeat if one is due. Called before each wait for an answer. */
    public void beat() {
        long now = System.nanoTime();
        if (now - nextBeat >= 0) {
            nextBeat = now + beatNanos;
            heartbeat.run();
        }
    }

    public boolean isOver() {
        return deadline - System.nanoTime() <= 0;
    }

    /** True if the pauses have reached their maximum. */
    boolean isLong() {
        return pauseMillis == PAUSE_MAX_MILLIS;
    }

    /** Remaining time, at least one millisecond. */
    int leftMillis() {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return (int) Math.max(1, Math.min(left, Integer.MAX_VALUE));
    }

    /**
     * Waits before the next attempt.
     *
     * @param what reason of the retry, for the exception
     * @param cause may be null
     * @throws StorageException kind UNAVAILABLE after the deadline or an interrupt
     */
    public void pause(String what, Throwable cause) {
        pause(what, 0, cause);
    }

    /** As {@link #pause(String, Throwable)}, for at least a time that a store asked for. */
    public void pause(String what, long minMillis) {
        pause(what, minMillis, null);
    }

    private void pause(String what, long minMillis, Throwable cause) {
        if (isOver()) {
            // gRPC messages can have several lines.
            String line = ("TiKV: " + what).replace('\n', ' ');
            throw new StorageException(Kind.UNAVAILABLE, line, cause);
        }
        long pause = pauseMillis + ThreadLocalRandom.current().nextLong(pauseMillis + 1);
        pauseMillis = Math.min(PAUSE_MAX_MILLIS, pauseMillis * 2);
        long millis = Math.min(Math.max(pause, minMillis), leftMillis());
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long now = System.nanoTime(); end - now > 0; now = System.nanoTime()) {
                TimeUnit.NANOSECONDS.sleep(Math.min(end - now, nextBeat - now));
                beat();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(Kind.UNAVAILABLE, "interrupted: " + what, e);
        }
    }
}
