package io.brain.storage.rocksdb;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the users of something that is freed, once, when the last is gone; begins with one. */
final class RefCount {
    private final AtomicInteger users = new AtomicInteger(1);
    private final Runnable free;

    RefCount(Runnable free) {
        this.free = free;
    }

    /** Adds a user; false if the last is gone already. */
    boolean acquire() {
        int before = users.get();
        while (before > 0 && !users.compareAndSet(before, before + 1)) {
            before = users.get();
        }
        return before > 0;
    }

    void release() {
        int left = users.decrementAndGet();
        assert left >= 0 : "released more often than acquired";
        if (left == 0) {
            free.run();
        }
    }
}
