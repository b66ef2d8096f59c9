package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps versions that are read here from being collected, and lets the stores collect the others:
 * tells PD at intervals how far back this process may read, and, if it commits, moves PD's safe
 * point as far as every process allows. Owns a thread; the checks are thread-safe.
 */
final class SafePoint {
    private static final Logger log = LoggerFactory.getLogger(SafePoint.class);

    /** What was told to PD holds for so many intervals. */
    private static final int HOLD_INTERVALS = 3;

    /** A part of the life time: for clocks that differ, and requests on their way. */
    private static final int MARGIN_PART = 10;

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final GcSettings settings;
    private final TimestampOracle clock;
    private final PdSafePoints pd;
    private final LockScanner scanner;
    private final OpenHandles handles;
    private final Counters counters;

    private final String service = "brain-" + UUID.randomUUID();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "tikv-safe-point");

    /**
     * What PD took.
     *
     * @param from nothing from this timestamp on is collected
     * @param untilNanos by the clock of {@link System#nanoTime}, before PD lets go of it
     */
    private record Hold(long from, long untilNanos) {}

    /** Null until PD took one. */
    private volatile Hold hold;

    /** PD's safe point when it was last heard of; 0 if it was not, or was never moved. */
    private volatile long known;

    private long triedNanos = System.nanoTime() - RETRY_NANOS;
    private long commitsSeen;
    private boolean failing;

    SafePoint(
            GcSettings settings,
            TimestampOracle clock,
            PdSafePoints pd,
            LockScanner scanner,
            OpenHandles handles,
            Counters counters) {
        this.settings = settings;
        this.clock = clock;
        this.pd = pd;
        this.scanner = scanner;
        this.handles = handles;
        this.counters = counters;
    }

    void start() {
        thread.start();
    }

    /** Ends the thread, and lets go of what was held; bounded by the time of one request. */
    void close() {
        closing.countDown();
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (hold != null && !failing) {
            try {
                pd.hold(service, 0, 0);
            } catch (StorageException e) {
                log.debug("PD lets go of {} by itself, later", service, e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * To be asked after a read at a timestamp, and before its answer is used.
     *
     * @throws StorageException kind UNAVAILABLE if some of what was read may have been collected
     */
    void check(long timestamp) {
        if (isKept(timestamp)) {
            return;
        }
        StorageException failure = null;
        try {
            holdAgain();
        } catch (StorageException e) {
            failure = e;
        }
        // What is held now was not collected before, as safe points never go back.
        if (!isKept(timestamp)) {
            throw new StorageException(
                    Kind.UNAVAILABLE,
                    "TiKV: what timestamp " + timestamp + " reads may have been collected",
                    failure);
        }
    }

    private boolean isKept(long timestamp) {
        long lifeTime = settings.lifeTime().toMillis();
        long young = clock.millisAtMost() - lifeTime + lifeTime / MARGIN_PART;
        if (TimestampOracle.millis(timestamp) >= young) {
            return true; // nobody moves the safe point that far
        }
        Hold held = hold;
        return held != null && timestamp >= held.from && System.nanoTime() - held.untilNanos < 0;
    }

    /** Figures for an operator. */
    Map<String, Long> stats() {
        long at = known;
        return at == 0
                ? Map.of()
                : Map.of(
                        "safe_point_age_ms",
                        Math.max(0, clock.millisAtMost() - TimestampOracle.millis(at)));
    }

    private void run() {
        Duration interval = settings.interval();
        Duration soon = interval.dividedBy(HOLD_INTERVALS);
        boolean closed = false;
        while (!closed) {
            Duration pause = interval;
            try {
                round();
                failing = false;
            } catch (RuntimeException e) {
                pause = soon;
                failed(e);
            }
            try {
                closed = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return; // only by close
            }
        }
    }

    private void failed(RuntimeException failure) {
        if (closing.getCount() == 0) {
            return;
        }
        counters.safePointFailures.increment();
        if (!failing) {
            log.warn("the safe point stays where it is until PD and TiKV answer", failure);
        }
        failing = true;
    }

    private void round() {
        long from = holdNow();
        long commits = counters.commits.sum();
        if (settings.moves() && commits != commitsSeen) {
            known = move(from);
            commitsSeen = commits;
            counters.safePointMoves.increment();
        } else {
            known = pd.current();
        }
    }

    /** As far as nobody reads, and no lock is left. */
    private long move(long from) {
        long clear = scanner.upTo(from);
        long allowed = pd.hold(PdSafePoints.MOVER, Long.MAX_VALUE, clear);
        return pd.move(Math.min(clear, allowed));
    }

    /** The same as {@link #holdNow}, but not more often than is useful. */
    private synchronized void holdAgain() {
        if (System.nanoTime() - triedNanos > RETRY_NANOS) {
            holdNow();
        }
    }

    /** Tells PD how far back is read here. */
    private synchronized long holdNow() {
        try {
            long ttlSeconds =
                    Math.max(1, (settings.interval().toMillis() * HOLD_INTERVALS + 999) / 1000);
            long began = System.nanoTime();
            long now = clock.once();
            long from =
                    Math.min(handles.oldest(), TimestampOracle.before(now, settings.lifeTime()));
            letGoBefore(from);
            long least = pd.hold(service, ttlSeconds, from);
            while (least > from) {
                // Too late for the oldest: hold at least the others.
                from = least;
                letGoBefore(from);
                least = pd.hold(service, ttlSeconds, from);
            }
            hold = new Hold(from, began + TimeUnit.SECONDS.toNanos(ttlSeconds));
            return from;
        } finally {
            triedNanos = System.nanoTime();
        }
    }

    /** PD may take what it is told next without our hearing of it. */
    private void letGoBefore(long from) {
        Hold held = hold;
        if (held != null && held.from < from) {
            hold = new Hold(from, held.untilNanos);
        }
    }
}
