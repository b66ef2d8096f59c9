package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.TreeMap;

/** Open snapshots, cursors and commits of a storage; close waits for them. Thread-safe. */
final class OpenHandles {
    /** Timestamps of open readers, with the number of readers. */
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

        /** Throws kind CLOSED if this handle or the storage is closed. */
        void check() {
            checkOpen();
            if (ended) {
                throw new StorageException(Kind.CLOSED, what + " is closed");
            }
        }

        /** Idempotent. */
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

    /** Throws kind CLOSED if the storage is closed. */
    void checkOpen() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "storage is closed");
        }
    }

    synchronized Handle open(String what) {
        checkOpen();
        return new Handle(what, null);
    }

    /** Opens a handle of a reader at a timestamp. */
    synchronized Handle open(String what, long timestamp) {
        checkOpen();
        return new Handle(what, timestamp);
    }

    /** The least timestamp of an open reader; {@link Long#MAX_VALUE} if none. */
    synchronized long oldest() {
        return read.isEmpty() ? Long.MAX_VALUE : read.firstKey();
    }

    /** Opens a handle while the caller holds another one; allowed while the storage closes. */
    synchronized Handle openWithinAnother(String what) {
        return new Handle(what, null);
    }

    /** Refuses new handles and waits for the open ones, uninterruptibly. */
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
