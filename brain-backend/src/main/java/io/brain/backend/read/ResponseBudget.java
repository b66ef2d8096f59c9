package io.brain.backend.read;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Reservation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Response bytes that may be held at once, handed out in the order they were asked for. Thread-safe
 * and without threads: a grant that waited is handed over on the thread that made room for it.
 *
 * <p>Who holds a grant may grow it while there is room, past those who wait; if there is none it
 * must give up all it holds before it waits for more. So nobody waits while holding, and the first
 * in line waits only for grants that are there already, each of which ends: no deadlock, no
 * starvation. Who holds everything that is held may grow beyond the budget: an answer larger than
 * the whole budget runs alone. How much larger is the caller's to bound.
 */
public final class ResponseBudget implements AutoCloseable {
    /** A grant grows by at most as much as it is, or this, more than it must. */
    private static final long STEP_BYTES_MAX = 1 << 20;

    private final long bytesMax;
    private final int waitersMax;
    private final Set<Waiter> line = new LinkedHashSet<>();
    private long held;
    private boolean closed;

    /**
     * A budget that nobody holds anything of.
     *
     * @param bytesMax bytes to hand out
     * @param waitersMax longest line for {@link #reserve}
     */
    public ResponseBudget(long bytesMax, int waitersMax) {
        if (bytesMax <= 0) {
            throw new IllegalArgumentException("a budget of " + bytesMax + " bytes");
        }
        this.bytesMax = bytesMax;
        this.waitersMax = waitersMax;
    }

    /**
     * Waits in line for {@code bytes}, or for the whole budget if that is less. Cancelling the
     * future leaves the line.
     *
     * @return ends with a grant, or with a {@link BackendException}: TOO_MANY_REQUESTS if the line
     *     is full, STOPPED if the budget was closed
     */
    public CompletableFuture<Grant> reserve(long bytes) {
        return enter(bytes, waitersMax);
    }

    /**
     * Like {@link #reserve}, however long the line is: for answers that cannot be refused any more,
     * whose number the caller bounds.
     */
    public CompletableFuture<Grant> reserveSurely(long bytes) {
        return enter(bytes, Integer.MAX_VALUE);
    }

    /** A grant of {@code bytes} now; null if there is no room, or somebody waits. */
    public Grant tryReserve(long bytes) {
        synchronized (line) {
            return !closed && line.isEmpty() && fits(bytes) ? new Grant(bytes) : null;
        }
    }

    /** Bytes held now. */
    public long held() {
        synchronized (line) {
            return held;
        }
    }

    /** Bytes to hand out. */
    public long bytesMax() {
        return bytesMax;
    }

    /** Number of those who wait. */
    public int waiting() {
        synchronized (line) {
            return line.size();
        }
    }

    /** Ends all waiting with STOPPED; grants stay valid. */
    @Override
    public void close() {
        List<Waiter> waiters;
        synchronized (line) {
            closed = true;
            waiters = new ArrayList<>(line);
            line.clear();
        }
        waiters.forEach(
                waiter -> waiter.completeExceptionally(new BackendException(ErrorKind.STOPPED)));
    }

    private CompletableFuture<Grant> enter(long asked, int lineMax) {
        long bytes = Math.min(asked, bytesMax);
        Waiter waiter;
        synchronized (line) {
            if (closed) {
                return CompletableFuture.failedFuture(new BackendException(ErrorKind.STOPPED));
            }
            if (line.isEmpty() && fits(bytes)) {
                return CompletableFuture.completedFuture(new Grant(bytes));
            }
            if (line.size() >= lineMax) {
                return CompletableFuture.failedFuture(
                        new BackendException(ErrorKind.TOO_MANY_REQUESTS));
            }
            waiter = new Waiter(bytes);
            line.add(waiter);
        }
        return waiter;
    }

    /** A waiter that was cancelled makes way for those behind it. */
    private void leave(Waiter waiter) {
        boolean waited;
        synchronized (line) {
            waited = line.remove(waiter);
        }
        if (waited) {
            admit();
        }
    }

    /** Lets in whoever is first in line as long as there is room. */
    private void admit() {
        while (true) {
            Waiter first;
            Grant grant;
            synchronized (line) {
                Iterator<Waiter> waiters = line.iterator();
                if (!waiters.hasNext()) {
                    return;
                }
                first = waiters.next();
                if (!fits(first.bytes)) {
                    return;
                }
                waiters.remove();
                grant = new Grant(first.bytes);
            }
            if (!first.complete(grant)) {
                grant.close();
            }
        }
    }

    private boolean fits(long bytes) {
        return held + bytes <= bytesMax;
    }

    /** Somebody in line. */
    private final class Waiter extends CompletableFuture<Grant> {
        private final long bytes;

        Waiter(long bytes) {
            this.bytes = bytes;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            leave(this);
            return cancelled;
        }
    }

    /** Bytes of the budget in somebody's hands. Thread-safe; the second close does nothing. */
    public final class Grant implements Reservation {
        private long bytes;

        /** Called with the line locked. */
        private Grant(long bytes) {
            this.bytes = bytes;
            held += bytes;
        }

        /** Bytes held; 0 once closed. */
        public long bytes() {
            synchronized (line) {
                return bytes;
            }
        }

        /**
         * Holds at least {@code wanted} bytes, some more if there is room for them; false if there
         * is no room even for those. Not after close.
         */
        public boolean grow(long wanted) {
            synchronized (line) {
                if (wanted <= bytes) {
                    return true;
                }
                boolean alone = held == bytes;
                long generous = Math.max(wanted, bytes + Math.min(bytes, STEP_BYTES_MAX));
                if (alone || fits(generous - bytes)) {
                    set(generous);
                } else if (fits(wanted - bytes)) {
                    set(wanted);
                } else {
                    return false;
                }
                return true;
            }
        }

        /** Gives back what exceeds {@code wanted} bytes. */
        public void trim(long wanted) {
            synchronized (line) {
                if (wanted >= bytes) {
                    return;
                }
                set(wanted);
            }
            admit();
        }

        @Override
        public boolean isWanted() {
            return waiting() > 0;
        }

        @Override
        public void close() {
            trim(0);
        }

        private void set(long wanted) {
            held += wanted - bytes;
            bytes = wanted;
        }
    }
}
