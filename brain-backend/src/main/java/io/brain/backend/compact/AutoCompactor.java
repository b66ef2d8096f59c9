package io.brain.backend.compact;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for compactions as a client would, so that a retention is kept. Looks on while another node
 * leads, so that it knows the past when this one does. One that fails is asked for again at the
 * next look.
 */
public final class AutoCompactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AutoCompactor.class);

    private final BackendRuntime runtime;
    private final LongSupplier newest;
    private final BooleanSupplier leads;
    private final LongFunction<CompletionStage<Long>> compact;

    /** Null if nothing is to be done. Used by one background task at a time. */
    private final Retention retention;

    private volatile boolean closed;
    private volatile Scheduler.Timer timer = () -> {};

    /**
     * One that does nothing until {@link #start}.
     *
     * @param newest the newest published revision
     * @param leads whether this node may compact
     * @param compact compacts at a revision
     */
    public AutoCompactor(
            LongSupplier newest,
            BooleanSupplier leads,
            LongFunction<CompletionStage<Long>> compact,
            BackendRuntime runtime,
            AutoCompactSettings settings) {
        this.newest = newest;
        this.leads = leads;
        this.compact = compact;
        this.runtime = runtime;
        this.retention =
                switch (settings.mode()) {
                    case OFF -> null;
                    case PERIODIC ->
                            new PeriodicRetention(settings.retention(), runtime.clock().nanos());
                    case REVISION -> new RevisionRetention(settings.retention());
                };
    }

    /** Begins to look. */
    public void start() {
        if (retention != null) {
            waitOnce();
        }
    }

    /** Stops looking; a compaction that was asked for goes on. */
    @Override
    public void close() {
        closed = true;
        timer.cancel();
    }

    private void waitOnce() {
        retention.waits(newest.getAsLong());
        timer =
                runtime.scheduler()
                        .schedule(retention.interval(), runtime.background(), this::look);
    }

    private void look() {
        if (closed) {
            return;
        }
        long revision =
                leads.getAsBoolean()
                        ? retention.due(runtime.clock().nanos(), newest.getAsLong())
                        : Retention.NOTHING;
        if (revision == Retention.NOTHING) {
            waitOnce();
            return;
        }
        LOG.info("compacting by itself at revision {}", revision);
        var unused =
                compact.apply(revision)
                        .whenCompleteAsync(
                                (done, failure) -> ended(revision, failure), runtime.background());
    }

    private void ended(long revision, Throwable failure) {
        if (closed) {
            return;
        }
        // Compacted by somebody else: that will do.
        if (failure == null || Failures.of(failure).kind() == ErrorKind.COMPACTED) {
            retention.compacted(revision, runtime.clock().nanos());
        } else {
            LOG.warn(
                    "could not compact at revision {}, will try again in {}: {}",
                    revision,
                    retention.interval(),
                    failure.toString());
        }
        waitOnce();
    }
}
