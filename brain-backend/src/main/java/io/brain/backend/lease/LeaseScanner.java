package io.brain.backend.lease;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks leases at an interval. Proposes the expiry of each expired lease, limited in number, so
 * that many leases that expire together leave room for other writes. Proposes checkpoints of the
 * remaining times of long leases, for the next leader, one proposal at a time.
 */
public final class LeaseScanner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseScanner.class);

    /** Leases in one checkpoint proposal, as in etcd. */
    private static final int CHECKPOINT_LEASES_MAX = 1000;

    private final LeaseRegistry registry;
    private final LongFunction<CompletionStage<Boolean>> expire;
    private final Function<List<Long>, CompletionStage<?>> checkpoint;
    private final BackendRuntime runtime;
    private final LeaseSettings settings;
    private final AtomicInteger pendingExpiries = new AtomicInteger();
    private volatile boolean closed;
    private volatile Scheduler.Timer expiryTimer = () -> {};
    private volatile Scheduler.Timer checkpointTimer = () -> {};

    /**
     * A scanner that has not started.
     *
     * @param expire proposes {@link LeaseProposals#expire} for a lease
     * @param checkpoint proposes {@link LeaseProposals#checkpoint} for leases
     */
    public LeaseScanner(
            LeaseRegistry registry,
            LongFunction<CompletionStage<Boolean>> expire,
            Function<List<Long>, CompletionStage<?>> checkpoint,
            BackendRuntime runtime,
            LeaseSettings settings) {
        this.registry = registry;
        this.expire = expire;
        this.checkpoint = checkpoint;
        this.runtime = runtime;
        this.settings = settings;
    }

    /** Starts the first interval. */
    public void start() {
        expiryTimer = schedule(this::scanExpired);
        if (settings.hasCheckpoints()) {
            checkpointTimer = schedule(this::scanCheckpoints);
        }
    }

    /** Stops; pending proposals continue. */
    @Override
    public void close() {
        closed = true;
        expiryTimer.cancel();
        checkpointTimer.cancel();
    }

    private Scheduler.Timer schedule(Runnable scan) {
        return runtime.scheduler().schedule(settings.scanInterval(), runtime.sequencer(), scan);
    }

    private void scanExpired() {
        if (closed) {
            return;
        }
        long now = runtime.clock().nanos();
        long nextCheck = now + settings.retryInterval().toNanos();
        int max = settings.scanLeasesMax() - pendingExpiries.get();
        for (Lease lease : registry.takeExpired(now, max, nextCheck)) {
            pendingExpiries.incrementAndGet();
            Futures.onEnd(expire.apply(lease.id()), (done, failure) -> expired(lease, failure));
        }
        expiryTimer = schedule(this::scanExpired);
    }

    private void expired(Lease lease, Throwable failure) {
        pendingExpiries.decrementAndGet();
        // Without the leadership, none may expire.
        boolean mayExpire = !Failures.isOf(ErrorKind.NOT_LEADER, failure);
        if (failure != null && mayExpire && !closed) {
            String id = Long.toHexString(lease.id());
            LOG.warn("lease expiry failed lease={} error={}", id, failure.toString());
        }
    }

    private void scanCheckpoints() {
        if (closed) {
            return;
        }
        long now = runtime.clock().nanos();
        long nextCheck = now + settings.retryInterval().toNanos();
        List<Long> due = registry.takeForCheckpoint(now, CHECKPOINT_LEASES_MAX, nextCheck);
        if (due.isEmpty()) {
            checkpointTimer = schedule(this::scanCheckpoints);
            return;
        }
        var unused =
                checkpoint
                        .apply(due)
                        .whenCompleteAsync(
                                (done, failure) -> checkpointed(due.size(), failure),
                                runtime.sequencer());
    }

    private void checkpointed(int count, Throwable failure) {
        if (failure == null && count == CHECKPOINT_LEASES_MAX) {
            scanCheckpoints();
            return;
        }
        if (closed) {
            return;
        }
        if (failure != null) {
            LOG.warn("lease checkpoint failed leases={} error={}", count, failure.toString());
        }
        checkpointTimer = schedule(this::scanCheckpoints);
    }
}
