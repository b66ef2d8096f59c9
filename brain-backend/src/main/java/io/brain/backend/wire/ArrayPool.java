package io.brain.backend.wire;

import java.util.ArrayDeque;

/**
 * Arrays that are used again: memory that was written a moment ago is in the processor's caches,
 * new memory is not. The last one that was given back is the first to be taken. Thread-safe.
 */
public final class ArrayPool {
    /** Bytes of each array. */
    static final int ARRAY_BYTES = 64 << 10;

    private final int arraysMax;
    private final ArrayDeque<byte[]> free = new ArrayDeque<>();

    /**
     * An empty pool.
     *
     * @param arraysMax that it keeps; more are left to the collector
     */
    public ArrayPool(int arraysMax) {
        this.arraysMax = arraysMax;
    }

    /** An array with anything in it; null if there is none. */
    synchronized byte[] take() {
        return free.pollLast();
    }

    /** Takes back an array of {@link #ARRAY_BYTES}, which nobody may use any more. */
    synchronized void give(byte[] array) {
        if (free.size() < arraysMax) {
            free.addLast(array);
        }
    }
}
