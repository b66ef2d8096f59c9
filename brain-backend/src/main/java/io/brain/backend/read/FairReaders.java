package io.brain.backend.read;

import io.brain.backend.fair.FairQueue;
import io.brain.backend.fair.Tenant;
import io.brain.backend.runtime.Clock;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The reader threads, which take waiting reads in the order of a {@link FairQueue}, where a tenant
 * is charged the time that a thread needed for its read. The pool behind it limits the number of
 * waiting reads. Thread-safe.
 */
public final class FairReaders {
    private final Executor pool;
    private final Clock clock;

    /** One task of the pool for each of them; also the lock. */
    private final FairQueue<Read> waiting = new FairQueue<>();

    /** Not a record: compared by identity. */
    private static final class Read implements FairQueue.Request {
        private final Tenant tenant;
        private final Runnable task;

        Read(Tenant tenant, Runnable task) {
            this.tenant = tenant;
            this.task = task;
        }

        @Override
        public Tenant tenant() {
            return tenant;
        }
    }

    /** Uses the threads of {@code pool}. */
    public FairReaders(Executor pool, Clock clock) {
        this.pool = pool;
        this.clock = clock;
    }

    /** Runs a tenant's reads; refuses one, as an executor does, if too many wait. */
    public Executor of(Tenant tenant) {
        return task -> execute(new Read(tenant, task));
    }

    private void execute(Read read) {
        // A thread that is free at once waits for the lock: the read that the pool refuses is this
        // one, and still there.
        synchronized (waiting) {
            waiting.add(read);
            try {
                pool.execute(this::runNext);
            } catch (RuntimeException full) {
                waiting.remove(read);
                throw full;
            }
        }
    }

    private void runNext() {
        FairQueue<Read>.Turn turn;
        synchronized (waiting) {
            turn = waiting.poll();
        }
        long started = clock.nanos();
        try {
            turn.request().task.run();
        } finally {
            long cost = clock.nanos() - started;
            synchronized (waiting) {
                waiting.charge(turn, cost);
            }
        }
    }

    /** Adds the number of waiting reads of each tenant. */
    void countWaiting(Map<Tenant, Integer> numbers) {
        synchronized (waiting) {
            waiting.countInto(numbers);
        }
    }
}
