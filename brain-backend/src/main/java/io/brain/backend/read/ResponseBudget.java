package io.brain.backend.read;

import io.brain.backend.fair.FairLimit;
import io.brain.backend.fair.FairQueue;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Reservation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Limits the bytes of responses on the heap; grants them in the order of a {@link FairQueue}, where
 * a tenant is charged the bytes for which it waited. Thread-safe, without threads of its own: a
 * grant that waited is completed by the thread that released bytes, or that added the next waiter.
 *
 * <p>A grant may grow while there is room, also if others wait. If there is none, its owner must
 * close it before it waits for a larger one. So no waiter holds bytes, and the first waiter waits
 * only for grants that will be closed: no deadlock. Nobody is granted bytes before the first
 * waiter, however few, and each waiter becomes the first: no starvation. A grant that is alone may
 * grow beyond the budget, so that an answer larger than the budget is possible; the owner limits
 * it.
 */
public final class ResponseBudget implements AutoCloseable {
    /** A grant grows by its size, or by this, more than requested. */
    private static final long EXTRA_BYTES_MAX = 1 << 20;

    private final long bytesMax;

    /** Also the lock. */
    private final FairQueue<Waiter> waiters = new FairQueue<>();

    private long held;

    /** Of each client; without those that hold nothing. */
    private final Map<Tenant, Long> heldBy = new HashMap<>();

    private boolean closed;

    /** A budget without grants. */
    public ResponseBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Grants {@code bytes}, or the whole budget if that is less, as soon as there is room. The
     * caller limits the number of waiters; cancelling the future removes one.
     *
     * @return fails with STOPPED if the budget is closed
     */
    public CompletableFuture<Grant> reserve(Tenant tenant, long bytes) {
        Waiter waiter = new Waiter(tenant, Math.min(bytes, bytesMax));
        synchronized (waiters) {
            if (closed) {
                return CompletableFuture.failedFuture(new BackendException(ErrorKind.STOPPED));
            }
            if (waiters.size() == 0 && fits(waiter.bytes)) {
                return CompletableFuture.completedFuture(new Grant(tenant, waiter.bytes));
            }
            waiters.add(waiter);
        }
        // It may be the first one now, and fit where the first one before it did not.
        grantWaiting();
        return waiter;
    }

    /** Grants {@code bytes} now; null if there is no room, or others wait. */
    public Grant tryReserve(Tenant tenant, long bytes) {
        synchronized (waiters) {
            return !closed && waiters.size() == 0 && fits(bytes) ? new Grant(tenant, bytes) : null;
        }
    }

    /**
     * True if a client holds more than is left, as in {@link FairLimit}: where such clients are
     * granted no more, something is left for others.
     */
    boolean isAboveShare(Tenant tenant) {
        synchronized (waiters) {
            return heldBy.getOrDefault(tenant, 0L) > bytesMax - held;
        }
    }

    /** Granted bytes. */
    public long held() {
        synchronized (waiters) {
            return held;
        }
    }

    public long bytesMax() {
        return bytesMax;
    }

    /** Number of waiters. */
    public int waiting() {
        synchronized (waiters) {
            return waiters.size();
        }
    }

    /** Adds the number of waiters of each tenant. */
    void countWaiting(Map<Tenant, Integer> numbers) {
        synchronized (waiters) {
            waiters.countInto(numbers);
        }
    }

    /** Fails all waiters with STOPPED; grants remain valid. */
    @Override
    public void close() {
        List<Waiter> left;
        synchronized (waiters) {
            closed = true;
            left = waiters.clear();
        }
        BackendException stopped = new BackendException(ErrorKind.STOPPED);
        left.forEach(waiter -> waiter.completeExceptionally(stopped));
    }

    /** Completes waiters in order while there is room. */
    private void grantWaiting() {
        while (true) {
            Waiter first;
            Grant grant;
            synchronized (waiters) {
                first = waiters.peek();
                if (first == null || !fits(first.bytes)) {
                    return;
                }
                waiters.charge(waiters.poll(), first.bytes);
                grant = new Grant(first.tenant, first.bytes);
            }
            if (!first.complete(grant)) {
                grant.close();
            }
        }
    }

    private boolean fits(long bytes) {
        return held + bytes <= bytesMax;
    }

    private final class Waiter extends CompletableFuture<Grant> implements FairQueue.Request {
        private final Tenant tenant;
        private final long bytes;

        Waiter(Tenant tenant, long bytes) {
            this.tenant = tenant;
            this.bytes = bytes;
        }

        @Override
        public Tenant tenant() {
            return tenant;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            boolean waited;
            synchronized (waiters) {
                waited = waiters.remove(this);
            }
            if (waited) {
                grantWaiting();
            }
            return cancelled;
        }
    }

    /** Granted bytes. Thread-safe; the second close has no effect. */
    public final class Grant implements Reservation {
        private final Tenant tenant;
        private long bytes;

        /** Called with the lock held. */
        private Grant(Tenant tenant, long bytes) {
            this.tenant = tenant;
            resize(bytes);
        }

        /** 0 if closed. */
        public long bytes() {
            synchronized (waiters) {
                return bytes;
            }
        }

        /**
         * Grows to at least {@code wanted} bytes, more if there is room; false if there is no room.
         * Not after close.
         */
        public boolean grow(long wanted) {
            synchronized (waiters) {
                if (wanted <= bytes) {
                    return true;
                }
                boolean alone = held == bytes;
                long generous = Math.max(wanted, bytes + Math.min(bytes, EXTRA_BYTES_MAX));
                if (alone || fits(generous - bytes)) {
                    resize(generous);
                } else if (fits(wanted - bytes)) {
                    resize(wanted);
                } else {
                    return false;
                }
                return true;
            }
        }

        /** Shrinks to {@code wanted} bytes if it is larger. */
        public void trim(long wanted) {
            synchronized (waiters) {
                if (wanted >= bytes) {
                    return;
                }
                resize(wanted);
            }
            grantWaiting();
        }

        @Override
        public boolean isWanted() {
            return waiting() > 0;
        }

        @Override
        public void close() {
            trim(0);
        }

        private void resize(long wanted) {
            long more = wanted - bytes;
            held += more;
            bytes = wanted;
            if (!tenant.equals(Tenant.SERVER)) {
                heldBy.merge(tenant, more, (one, two) -> one + two == 0 ? null : one + two);
            }
        }
    }
}
