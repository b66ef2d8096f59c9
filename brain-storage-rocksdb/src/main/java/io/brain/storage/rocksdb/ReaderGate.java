package io.brain.storage.rocksdb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts readers; once shut, refuses new ones and signals when the last leaves. */
final class ReaderGate {
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean open = true;

    /** Enters a reader, which must leave; false if the gate is shut. */
    boolean enter() {
        // Counts before the check, so that a zero count after a shut misses no reader.
        inside.incrementAndGet();
        if (open) {
            return true;
        }
        leave();
        return false;
    }

    /** Enters a further reader while one is inside, even if the gate is shut. */
    void enterWithAnother() {
        int before = inside.getAndIncrement();
        assert before > 0 : "no reader is inside";
    }

    void leave() {
        int left = inside.decrementAndGet();
        assert left >= 0 : "more left than entered";
        if (left == 0 && !open) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    void shut() {
        open = false;
    }

    void open() {
        open = true;
    }

    /** Waits until all readers have left; false on timeout. */
    synchronized boolean awaitEmpty(long time, TimeUnit unit) throws InterruptedException {
        long deadline = System.nanoTime() + unit.toNanos(time);
        while (inside.get() > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }
}
