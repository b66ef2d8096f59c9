package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;

/** Open snapshots, cursors and calls of a storage; close waits for them. Thread-safe. */
final class OpenHandles {
    private int open;
    private volatile boolean closed;

    /** One open snapshot, cursor or call. */
    final class Handle {
        private final String what;
        private volatile boolean ended;

        private Handle(String what) {
            this.what = what;
            open++;
        }

        /** Throws kind CLOSED if this handle or the storage is closed. */
        void check() {
            checkOpen();
            if (ended) {
                throw new StorageException(Kind.CLOSED, what + " is closed");
            }
        }

        boolean isReleased() {
            return ended;
        }

        /** Idempotent. */
        void release() {
            synchronized (OpenHandles.this) {
                if (!ended) {
                    ended = true;
                    open--;
                    OpenHandles.this.notifyAll();
                }
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "storage is closed");
        }
    }

    /** Opens a handle; throws kind CLOSED if the storage is closed. */
    synchronized Handle open(String what) {
        checkOpen();
        return new Handle(what);
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
