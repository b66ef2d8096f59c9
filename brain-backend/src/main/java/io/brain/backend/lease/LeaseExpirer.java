package io.brain.backend.lease;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for expired leases at an interval and has each revoked by a write of its own. Bounded: a
 * storm of leases that end together leaves room for other writes between their revokes.
 */
public final class LeaseExpirer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseExpirer.class);

    private final LeaseRegistry registry;
    private final LongFunction<CompletionStage<Boolean>> expire;
    private final BackendRuntime runtime;
    private final LeaseSettings settings;
    private final AtomicInteger onTheirWay = new AtomicInteger();
    private volatile boolean closed;
    private volatile Scheduler.Timer timer = () -> {};

    /**
     * An expirer that does nothing until {@link #start}.
     *
     * @param expire proposes {@link LeaseProposals#expire} for a lease
     */
    public LeaseExpirer(
            LeaseRegistry registry,
            LongFunction<CompletionStage<Boolean>> expire,
            BackendRuntime runtime,
            LeaseSettings settings) {
        this.registry = registry;
        this.expire = expire;
        this.runtime = runtime;
        this.settings = settings;
    }

    /** Begins to look. */
    public void start() {
        timer =
                runtime.scheduler()
                        .schedule(settings.scanInterval(), runtime.sequencer(), this::scan);
    }

    /** Stops looking; revokes on their way go on. */
    @Override
    public void close() {
        closed = true;
        timer.cancel();
    }

    private void scan() {
        if (closed) {
            return;
        }
        long now = runtime.clock().nanos();
        long nextLook = now + settings.retryInterval().toNanos();
        int max = settings.scanLeasesMax() - onTheirWay.get();
        List<Lease> expired = registry.takeExpired(now, max, nextLook);
        for (Lease lease : expired) {
            onTheirWay.incrementAndGet();
            expire.apply(lease.id()).whenComplete((done, failure) -> ended(lease, failure));
        }
        start();
    }

    private void ended(Lease lease, Throwable failure) {
        onTheirWay.decrementAndGet();
        if (failure != null && !closed) {
            LOG.warn(
                    "lease {} is expired but could not be revoked, will try again: {}",
                    Long.toHexString(lease.id()),
                    failure.toString());
        }
    }
}
