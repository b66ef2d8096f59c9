package io.brain.server.logging;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what took longer than it should: a line a second at most, which tells how many were left out
 * since the last. Thread-safe.
 */
public final class SlowLog {
    private static final Logger LOG = LoggerFactory.getLogger(SlowLog.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_MILLI = 1e6;

    private final Duration limit;
    private final LongSupplier nanoTime;
    private final Consumer<String> lines;

    /** When the next line may be written. */
    private final AtomicLong next;

    private final AtomicLong leftOut = new AtomicLong();

    /** A log of what takes longer than {@code limit}. */
    public SlowLog(Duration limit) {
        this(limit, System::nanoTime, LOG::warn);
    }

    SlowLog(Duration limit, LongSupplier nanoTime, Consumer<String> lines) {
        this.limit = limit;
        this.nanoTime = nanoTime;
        this.lines = lines;
        this.next = new AtomicLong(nanoTime.getAsLong());
    }

    /** Whether something should be told of that took so long. */
    public boolean isSlow(long nanos) {
        return nanos > limit.toNanos();
    }

    /** Tells of something that was slow, unless something else was told of a moment ago. */
    public void tell(String what) {
        long now = nanoTime.getAsLong();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE_NANOS)) {
            leftOut.incrementAndGet();
            return;
        }
        long others = leftOut.getAndSet(0);
        String more = others == 0 ? "" : "; and " + others + " more like this";
        lines.accept(what + ", expected at most " + limit.toMillis() + " ms" + more);
    }

    /** A time as it stands in a line. */
    public static String millis(long nanos) {
        return Math.round(nanos / NANOS_PER_MILLI) + " ms";
    }
}
