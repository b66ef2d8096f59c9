package io.brain.storage.testkit;

import io.brain.storage.StorageException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Open snapshots and cursors of a {@link MemoryStorage}, each with its stack trace, and commits in
 * flight. Determines which calls are refused and when close returns.
 */
final class MemoryUse {
    /** Timeout of close, so that a test does not hang. */
    private static final long CLOSE_WAIT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Set<Lease> leases = new LinkedHashSet<>();
    private int commits;
    private volatile boolean closed;
    private volatile boolean crashed;

    /** One open snapshot or cursor. */
    final class Lease {
        private final Throwable opened;
        private volatile boolean ended;

        private Lease(String what) {
            opened = new Throwable("this " + what + " is still open");
        }

        /** Throws kind CLOSED if this lease or the storage is closed. */
        void check() {
            checkOpen();
            if (ended) {
                throw new StorageException(StorageException.Kind.CLOSED, "closed before this use");
            }
        }

        void end() {
            ended = true;
            synchronized (MemoryUse.this) {
                leases.remove(this);
                MemoryUse.this.notifyAll();
            }
        }
    }

    /** Throws kind CLOSED if the storage is closed. */
    void checkOpen() {
        if (closed) {
            throw new StorageException(StorageException.Kind.CLOSED, "storage is closed");
        }
    }

    boolean isCrashed() {
        return crashed;
    }

    synchronized Lease lease(String what) {
        checkOpen();
        Lease lease = new Lease(what);
        leases.add(lease);
        return lease;
    }

    synchronized void beginCommit() {
        checkOpen();
        commits++;
    }

    synchronized void endCommit() {
        commits--;
        notifyAll();
    }

    /** Throws if a snapshot or cursor is open, with a suppressed stack trace for each. */
    synchronized void checkNothingOpen() {
        if (!leases.isEmpty()) {
            IllegalStateException leak =
                    new IllegalStateException(leases.size() + " snapshots or cursors are open");
            leases.forEach(lease -> leak.addSuppressed(lease.opened));
            throw leak;
        }
    }

    /** Refuses further use at once, without waiting. */
    synchronized void crash() {
        closed = true;
        crashed = true;
        leases.clear();
        notifyAll();
    }

    /** Refuses further use and waits until nothing is open or in flight. */
    synchronized void close() {
        closed = true;
        long deadline = System.nanoTime() + CLOSE_WAIT_NANOS;
        while (!crashed && (commits > 0 || !leases.isEmpty())) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                checkNothingOpen();
                throw new IllegalStateException(commits + " commits were never executed");
            }
            try {
                wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for readers", e);
            }
        }
    }
}
