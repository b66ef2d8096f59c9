package io.brain.backend.write;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Lets one wide delete at a time be prepared, because it keeps the keys that it deletes in memory;
 * others wait. Thread-safe.
 */
final class WideDeleteTurns {
    static final int WAITING_MAX = 64;
    private static final long BYTES_MAX = 16 << 20;

    private final Deque<Turn> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean taken;

    private record Turn(int bytes, Runnable start) {}

    /**
     * Starts a wide delete now, or when its turn comes.
     *
     * @param wireBytes size of the request
     * @return false if too many wait
     */
    boolean enter(int wireBytes, Runnable start) {
        synchronized (this) {
            if (taken) {
                if (waiting.size() == WAITING_MAX || bytes + wireBytes > BYTES_MAX) {
                    return false;
                }
                bytes += wireBytes;
                waiting.add(new Turn(wireBytes, start));
                return true;
            }
            taken = true;
        }
        start.run();
        return true;
    }

    /** True if another one waits. */
    synchronized boolean isWanted() {
        return !waiting.isEmpty();
    }

    /** The delete that was started has ended. */
    void leave() {
        Turn next;
        synchronized (this) {
            next = waiting.poll();
            taken = next != null;
            bytes -= taken ? next.bytes : 0;
        }
        if (next != null) {
            next.start.run();
        }
    }
}
