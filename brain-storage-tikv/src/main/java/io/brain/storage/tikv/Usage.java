package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;

/** What is in use of the storage; close waits for it. Thread-safe. */
final class Usage {
    private int open;
    private volatile boolean closed;

    /** One open snapshot, cursor or commit. */
    final class Lease {
        private final String what;
        private volatile boolean ended;

        private Lease(String what) {
            this.what = what;
            open++;
        }

        /** Throws kind CLOSED if this, or the storage, was closed. */
        void check() {
            checkOpen();
            if (ended) {
                throw new StorageException(Kind.CLOSED, "the " + what + " was closed");
            }
        }

        /** The second call does nothing. */
        void end() {
            synchronized (Usage.this) {
                if (!ended) {
                    ended = true;
                    open--;
                    Usage.this.notifyAll();
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

    synchronized Lease lease(String what) {
        checkOpen();
        return new Lease(what);
    }

    /** For whoever holds a lease: also while the storage closes. */
    synchronized Lease leaseWithinAnother(String what) {
        return new Lease(what);
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
