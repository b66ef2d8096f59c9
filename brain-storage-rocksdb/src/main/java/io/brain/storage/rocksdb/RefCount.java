package io.brain.storage.rocksdb;

import java.util.concurrent.atomic.AtomicInteger;

/** A reference count that starts at one and frees its object once when it reaches zero. */
final class RefCount {
    private final AtomicInteger users = new AtomicInteger(1);
    private final Runnable free;

    RefCount(Runnable free) {
        this.free = free;
    }

    /** Adds a user; false if already freed. */
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
