package io.brain.storage.rocksdb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts who is reading, lets nobody in once shut, and tells when the last has left. */
final class ReaderGate {
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean open = true;

    /** Lets a reader in, who must leave; false if the gate is shut. */
    boolean enter() {
        // First count, then look: whoever shuts the gate and counts zero has missed nobody.
        inside.incrementAndGet();
        if (open) {
            return true;
        }
        leave();
        return false;
    }

    /** Lets another reader in with one that is inside, even if the gate is shut. */
    void enterWithAnother() {
        int before = inside.getAndIncrement();
        assert before > 0 : "nobody is inside";
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

    /** Waits until nobody is inside of the shut gate; false if the time was too short. */
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
