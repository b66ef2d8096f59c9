package io.brain.backend.cluster;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes of requests that may be under way at a time; a lone request may have more. Thread-safe. */
final class ByteLimit {
    private final AtomicLong held = new AtomicLong();
    private final long bytesMax;

    ByteLimit(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** A request begins; false if there is no room for it. One without bytes always has room. */
    boolean enter(int bytes) {
        long after = held.addAndGet(bytes);
        if (bytes > 0 && after > bytesMax && after > bytes) {
            leave(bytes);
            return false;
        }
        return true;
    }

    /** A request that entered has ended. */
    void leave(int bytes) {
        held.addAndGet(-bytes);
    }
}
