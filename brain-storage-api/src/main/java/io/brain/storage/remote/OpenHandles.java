package io.brain.storage.remote;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;

/** Open snapshots, cursors and calls of a storage; close waits for them. Thread-safe. */
public final class OpenHandles {
    private int open;
    private volatile boolean closed;

    /** One open snapshot, cursor or call. */
    public final class Handle {
        private final String what;
        private volatile boolean ended;

        private Handle(String what) {
            this.what = what;
            open++;
        }

        /** Throws kind CLOSED if this handle or the storage is closed. */
        public void check() {
            checkOpen();
            if (ended) {
                throw new StorageException(Kind.CLOSED, what + " is closed");
            }
        }

        /** Idempotent: true for the first caller only. */
        public boolean release() {
            synchronized (OpenHandles.this) {
                boolean first = !ended;
                if (first) {
                    ended = true;
                    open--;
                    OpenHandles.this.notifyAll();
                }
                return first;
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "storage is closed");
        }
    }

    /** Opens a handle; throws kind CLOSED if the storage is closed. */
    public synchronized Handle open(String what) {
        checkOpen();
        return new Handle(what);
    }

    /** Refuses new handles and waits for the open ones, uninterruptibly. */
    public synchronized void close() {
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
