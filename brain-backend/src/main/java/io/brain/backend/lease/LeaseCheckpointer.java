package io.brain.backend.lease;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what is left of long leases stored at an interval, so that the next leader goes on from
 * there. Bounded: one write of so many leases at a time.
 */
public final class LeaseCheckpointer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseCheckpointer.class);

    /** Leases in one write, as in etcd. */
    private static final int LEASES_MAX = 1000;

    private final LeaseRegistry registry;
    private final Function<List<Long>, CompletionStage<?>> checkpoint;
    private final BackendRuntime runtime;
    private final LeaseSettings settings;
    private volatile boolean closed;
    private volatile Scheduler.Timer timer = () -> {};

    /**
     * A checkpointer that does nothing until {@link #start}.
     *
     * @param checkpoint proposes {@link LeaseProposals#checkpoint} for leases
     */
    public LeaseCheckpointer(
            LeaseRegistry registry,
            Function<List<Long>, CompletionStage<?>> checkpoint,
            BackendRuntime runtime,
            LeaseSettings settings) {
        this.registry = registry;
        this.checkpoint = checkpoint;
        this.runtime = runtime;
        this.settings = settings;
    }

    /** Begins to look, if there are to be checkpoints. */
    public void start() {
        if (settings.hasCheckpoints()) {
            timer =
                    runtime.scheduler()
                            .schedule(settings.scanInterval(), runtime.sequencer(), this::scan);
        }
    }

    /** Stops looking; a checkpoint on its way goes on. */
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
        List<Long> due = registry.takeForCheckpoint(now, LEASES_MAX, nextLook);
        if (due.isEmpty()) {
            start();
            return;
        }
        var unused =
                checkpoint
                        .apply(due)
                        .whenCompleteAsync(
                                (done, failure) -> ended(due.size(), failure), runtime.sequencer());
    }

    private void ended(int count, Throwable failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            LOG.warn(
                    "could not store what is left of {} leases, will try again: {}",
                    count,
                    failure.toString());
            start();
        } else if (count == LEASES_MAX) {
            scan();
        } else {
            start();
        }
    }
}
