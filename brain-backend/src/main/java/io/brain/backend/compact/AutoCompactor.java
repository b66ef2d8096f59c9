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
 * Requests compactions like a client, to keep a retention. Records revisions also while another
 * node leads. Retries a failed compaction after one interval.
 */
public final class AutoCompactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AutoCompactor.class);

    private final BackendRuntime runtime;
    private final LongSupplier newest;
    private final BooleanSupplier leads;
    private final LongFunction<CompletionStage<Long>> compact;

    /** Null if off. Used by one background task at a time. */
    private final Retention retention;

    private volatile boolean closed;
    private volatile Scheduler.Timer timer = () -> {};

    /**
     * A compactor that has not started.
     *
     * @param newest the newest published revision
     * @param leads true if this node may compact
     * @param compact requests a compaction at a revision
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
        this.retention = Retention.of(settings, runtime.clock().nanos());
    }

    /** Starts the first interval, if there is a retention. */
    public void start() {
        if (retention != null) {
            schedule();
        }
    }

    /** Stops; a requested compaction continues. */
    @Override
    public void close() {
        closed = true;
        timer.cancel();
    }

    private void schedule() {
        retention.beginInterval(newest.getAsLong());
        timer =
                runtime.scheduler()
                        .schedule(retention.interval(), runtime.background(), this::check);
    }

    private void check() {
        if (closed) {
            return;
        }
        long revision =
                leads.getAsBoolean()
                        ? retention.due(runtime.clock().nanos(), newest.getAsLong())
                        : Retention.NOTHING;
        if (revision == Retention.NOTHING) {
            schedule();
            return;
        }
        LOG.info("auto-compaction revision={}", revision);
        var unused =
                compact.apply(revision)
                        .whenCompleteAsync(
                                (done, failure) -> ended(revision, failure), runtime.background());
    }

    private void ended(long revision, Throwable failure) {
        if (closed) {
            return;
        }
        // COMPACTED: a client has compacted meanwhile.
        if (failure == null || Failures.of(failure).kind() == ErrorKind.COMPACTED) {
            retention.compacted(revision, runtime.clock().nanos());
        } else {
            LOG.warn(
                    "auto-compaction failed revision={} retry={} error={}",
                    revision,
                    retention.interval(),
                    failure.toString());
        }
        schedule();
    }
}
