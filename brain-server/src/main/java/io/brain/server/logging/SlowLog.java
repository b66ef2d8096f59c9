package io.brain.server.logging;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs slow operations: at most one line per second, with the number of suppressed lines.
 * Thread-safe.
 */
public final class SlowLog {
    private static final Logger LOG = LoggerFactory.getLogger(SlowLog.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_MILLI = 1e6;

    private final Duration limit;
    private final LongSupplier nanoTime;
    private final Consumer<String> lines;

    /** Time from which the next line may be written. */
    private final AtomicLong next;

    private final AtomicLong suppressed = new AtomicLong();

    /** Creates a log of operations that take longer than {@code limit}. */
    public SlowLog(Duration limit) {
        this(limit, System::nanoTime, LOG::warn);
    }

    SlowLog(Duration limit, LongSupplier nanoTime, Consumer<String> lines) {
        this.limit = limit;
        this.nanoTime = nanoTime;
        this.lines = lines;
        this.next = new AtomicLong(nanoTime.getAsLong());
    }

    /** True if an operation of this duration must be logged. */
    public boolean isSlow(long nanos) {
        return nanos > limit.toNanos();
    }

    /** Logs a slow operation, unless a line was written within the last second. */
    public void write(String event) {
        long now = nanoTime.getAsLong();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE_NANOS)) {
            suppressed.incrementAndGet();
            return;
        }
        long others = suppressed.getAndSet(0);
        String more = others == 0 ? "" : " suppressed=" + others;
        lines.accept(event + " limit=" + limit.toMillis() + "ms" + more);
    }

    /** Formats a duration. */
    public static String millis(long nanos) {
        return Math.round(nanos / NANOS_PER_MILLI) + "ms";
    }
}
