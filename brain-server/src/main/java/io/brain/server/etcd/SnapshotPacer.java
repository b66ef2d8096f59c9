package io.brain.server.etcd;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the CPU time of a snapshot while the store is written: 0.5 ms of work, then a pause of
 * seven times that. Without writes there are no pauses. Used by one thread.
 *
 * <p>Writes and their clients need the same cores: a snapshot at full speed delays the slowest
 * writes by far more than its share.
 */
final class SnapshotPacer {
    static final long SLICE_NANOS = 500_000;
    static final int PAUSE_SHARE = 7;

    /** More than this was one step, such as sorting, which a longer pause does not undo. */
    static final long PAUSE_NANOS_MAX = 50_000_000;

    private final LongSupplier revision;
    private final Time time;
    private long seenRevision;
    private long checkedAt;
    private long pausedAtCpu;

    /** The time of the calling thread, in nanoseconds. */
    interface Time {
        Time SYSTEM = new SystemTime();

        /** Never decreases. */
        long nanos();

        /** CPU time; grows at most as fast as {@link #nanos}. */
        long cpuNanos();

        void sleep(long nanos) throws InterruptedException;
    }

    private static final class SystemTime implements Time {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long cpuNanos() {
            return threads.getCurrentThreadCpuTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    }

    /**
     * Creates a pacer; to be called by the thread that uses it.
     *
     * @param revision the newest revision of the store
     */
    SnapshotPacer(LongSupplier revision, Time time) {
        this.revision = revision;
        this.time = time;
        seenRevision = revision.getAsLong();
        checkedAt = time.nanos();
        pausedAtCpu = time.cpuNanos();
    }

    /**
     * Pauses if the thread has worked for 0.5 ms and the store was written since; call it often.
     */
    void step() throws InterruptedException {
        // CPU time costs a system call, and cannot have grown by more than the time.
        if (time.nanos() - checkedAt < SLICE_NANOS) {
            return;
        }
        long worked = time.cpuNanos() - pausedAtCpu;
        if (worked >= SLICE_NANOS) {
            long newest = revision.getAsLong();
            if (newest != seenRevision) {
                seenRevision = newest;
                time.sleep(Math.min(PAUSE_SHARE * worked, PAUSE_NANOS_MAX));
            }
            pausedAtCpu = time.cpuNanos();
        }
        checkedAt = time.nanos();
    }
}
