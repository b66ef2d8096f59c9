package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.TreeMap;

/** What is in use of the storage; close waits for it. Thread-safe. */
final class OpenHandles {
    /** Timestamps that are read at, with the number of those who do. */
    private final TreeMap<Long, Integer> read = new TreeMap<>();

    private int open;
    private volatile boolean closed;

    /** One open snapshot, cursor or commit. */
    final class Handle {
        private final String what;
        private final Long timestamp;
        private volatile boolean ended;

        private Handle(String what, Long timestamp) {
            this.what = what;
            this.timestamp = timestamp;
            open++;
            if (timestamp != null) {
                read.merge(timestamp, 1, Integer::sum);
            }
        }

        /** Throws kind CLOSED if this, or the storage, was closed. */
        void check() {
            checkOpen();
            if (ended) {
                throw new StorageException(Kind.CLOSED, "the " + what + " was closed");
            }
        }

        /** The second call does nothing. */
        void release() {
            synchronized (OpenHandles.this) {
                if (!ended) {
                    ended = true;
                    open--;
                    if (timestamp != null) {
                        read.computeIfPresent(
                                timestamp, (at, count) -> count == 1 ? null : count - 1);
                    }
                    OpenHandles.this.notifyAll();
                }
            }
        }
    }

    /** Throws kind CLOSED if the storage was closed. */
    void checkOpen() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "the storage was closed");
        }
    }

    synchronized Handle open(String what) {
        checkOpen();
        return new Handle(what, null);
    }

    /** For what reads at a timestamp. */
    synchronized Handle open(String what, long timestamp) {
        checkOpen();
        return new Handle(what, timestamp);
    }

    /** The least timestamp that is read at; {@link Long#MAX_VALUE} if none is. */
    synchronized long oldest() {
        return read.isEmpty() ? Long.MAX_VALUE : read.firstKey();
    }

    /** For whoever holds a lease: also while the storage closes. */
    synchronized Handle openWithinAnother(String what) {
        return new Handle(what, null);
    }

    /** Refuses further use, and waits for what there is; an interrupt has to wait too. */
    synchronized void close() {
        closed = true;
        boolean interrupted = false;
        while (open > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
