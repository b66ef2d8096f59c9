package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.tikv.client.Counters;
import io.brain.storage.tikv.client.PdSafePoints;
import io.brain.storage.tikv.client.TikvSettings;
import io.brain.storage.tikv.client.TimestampOracle;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects the versions that this process reads from garbage collection, and lets TiKV remove the
 * others. Reports this process's service safe point to PD at intervals and, if the process commits,
 * advances PD's GC safe point as far as all services allow. Never advances it where TiDB has
 * tables: TiDB does so. Owns a thread; the checks are thread-safe.
 */
final class SafePoint {
    private static final Logger log = LoggerFactory.getLogger(SafePoint.class);

    /** TTL of a service safe point, in report intervals. */
    private static final int HOLD_INTERVALS = 3;

    /** Divisor of the life time: the margin for clock drift and request latency. */
    private static final int MARGIN_PART = 10;

    /** TiDB allows no shorter life time. */
    private static final Duration TIDB_LIFE_TIME = Duration.ofMinutes(10);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TikvSettings.Gc settings;
    private final TimestampOracle clock;
    private final PdSafePoints pd;
    private final LockScanner scanner;
    private final BooleanSupplier tidb;
    private final OpenReads reads;
    private final Counters counters;

    private final String service = "brain-" + UUID.randomUUID();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "tikv-safe-point");

    /**
     * A service safe point that PD accepted.
     *
     * @param from versions read at or after this timestamp are kept
     * @param untilMillis PD's time of its expiry, rounded down
     */
    private record Hold(long from, long untilMillis) {}

    /** Null until PD accepted one. */
    private volatile Hold hold;

    /** PD's GC safe point as last reported; 0 if unknown or never set. */
    private volatile long known;

    /** Whether TiDB has tables here, as of the last round. */
    private volatile boolean shared;

    private long triedNanos = System.nanoTime() - RETRY_NANOS;
    private long commitsSeen;
    private boolean failing;

    /**
     * Creates the safe point of a process; {@link #start} starts its rounds.
     *
     * @param tidb tells whether TiDB has tables here; asked in each round
     */
    SafePoint(
            TikvSettings.Gc settings,
            TimestampOracle clock,
            PdSafePoints pd,
            LockScanner scanner,
            BooleanSupplier tidb,
            OpenReads reads,
            Counters counters) {
        this.settings = settings;
        this.clock = clock;
        this.pd = pd;
        this.scanner = scanner;
        this.tidb = tidb;
        this.reads = reads;
        this.counters = counters;
    }

    void start() {
        thread.start();
    }

    /** Stops the thread and removes the service safe point; blocks for at most one request. */
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
                log.debug(
                        "failed to remove service safe point, it will expire service={}",
                        service,
                        e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Checks a timestamp after a read and before its result is used.
     *
     * @throws StorageException kind UNAVAILABLE if versions may have been removed
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
        // Safe points never move back, so versions protected now were not removed before.
        if (!isKept(timestamp)) {
            throw new StorageException(
                    Kind.UNAVAILABLE,
                    "TiKV: versions at timestamp " + timestamp + " may have been removed",
                    failure);
        }
    }

    private boolean isKept(long timestamp) {
        if (clock.mayHaveSlept()) {
            return false; // PD's time is unknown until the next timestamp
        }
        long lifeTime = lifeTime().toMillis();
        long now = clock.millisAtMost();
        long young = now - lifeTime + lifeTime / MARGIN_PART;
        if (TimestampOracle.millis(timestamp) >= young) {
            return true; // within the life time
        }
        Hold held = hold;
        return held != null && timestamp >= held.from && now < held.untilMillis;
    }

    /** The life time that counts: at most the shortest that TiDB allows, where it has tables. */
    private Duration lifeTime() {
        Duration own = settings.lifeTime();
        return shared && own.compareTo(TIDB_LIFE_TIME) > 0 ? TIDB_LIFE_TIME : own;
    }

    /** Metrics by name. */
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
                return; // interrupted by close
            }
        }
    }

    private void failed(RuntimeException failure) {
        if (closing.getCount() == 0) {
            return;
        }
        counters.safePointFailures.increment();
        if (!failing) {
            log.warn("failed to advance GC safe point, will retry", failure);
        }
        failing = true;
    }

    private void round() {
        long from = holdNow();
        boolean sharedNow = tidb.getAsBoolean();
        if (sharedNow && !shared && settings.moves()) {
            log.warn("TiDB has tables in this TiKV, leaving the GC safe point to TiDB");
        }
        shared = sharedNow;
        long commits = counters.commits.sum();
        if (settings.moves() && !shared && commits != commitsSeen) {
            known = move(from);
            commitsSeen = commits;
            counters.safePointMoves.increment();
        } else {
            known = pd.current();
        }
    }

    /**
     * Advances the GC safe point to {@code from}, or less if locks or services require it. PD may
     * refuse one that goes back.
     */
    private long move(long from) {
        long clear = scanner.upTo(from);
        long current = pd.current();
        if (clear <= current) {
            return current;
        }
        long allowed = pd.hold(PdSafePoints.MOVER, Long.MAX_VALUE, clear);
        return pd.move(Math.min(clear, allowed));
    }

    /** Rate-limited {@link #holdNow}. */
    private synchronized void holdAgain() {
        if (System.nanoTime() - triedNanos > RETRY_NANOS) {
            holdNow();
        }
    }

    /** Reports the oldest timestamp of this process's reads; returns the accepted one. */
    private synchronized long holdNow() {
        try {
            long ttlSeconds =
                    Math.max(1, (settings.interval().toMillis() * HOLD_INTERVALS + 999) / 1000);
            long now = clock.once();
            long from = Math.min(reads.oldest(), TimestampOracle.before(now, lifeTime()));
            letGoBefore(from);
            long least = pd.hold(service, ttlSeconds, from);
            while (least > from) {
                // Too late for the oldest read: protect the others.
                from = least;
                letGoBefore(from);
                least = pd.hold(service, ttlSeconds, from);
            }
            long untilMillis = TimestampOracle.millis(now) + TimeUnit.SECONDS.toMillis(ttlSeconds);
            hold = new Hold(from, untilMillis);
            return from;
        } finally {
            triedNanos = System.nanoTime();
        }
    }

    /**
     * Narrows the hold before the report, because PD may accept it without our receiving the
     * response.
     */
    private void letGoBefore(long from) {
        Hold held = hold;
        if (held != null && held.from < from) {
            hold = new Hold(from, held.untilMillis);
        }
    }
}
