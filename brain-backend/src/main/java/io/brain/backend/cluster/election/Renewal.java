package io.brain.backend.cluster.election;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Revisions;
import io.brain.storage.CommitResult;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a leadership: stores the leader's record again and again, so that nobody takes over, and
 * knows until when surely nobody has. That is counted on the own clock from before a renewal was
 * sent, so it needs no clock of anybody else. Belongs to the elector's thread, but for {@link
 * #isSure}.
 */
final class Renewal {
    private static final Logger LOG = LoggerFactory.getLogger(Renewal.class);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    private final ResolvingCommit commits;
    private final KeyCoder coder;
    private final Revisions revisions;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private LeaderRecord record;
    private Runnable whenDeposed = () -> {};
    private boolean deposed;
    private boolean stopped;
    private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

    /** In the clock's nanoseconds. */
    private volatile long sureUntil;

    /**
     * Keeps what was just taken.
     *
     * @param since when taking it began, in the clock's nanoseconds
     */
    Renewal(
            LeaderRecord taken,
            long since,
            ResolvingCommit commits,
            TermContext context,
            ElectionSettings settings) {
        this.record = taken;
        this.commits = commits;
        this.coder = context.store().coder();
        this.revisions = context.store().revisions();
        this.runtime = context.runtime();
        this.settings = settings;
        sureFrom(since);
    }

    /** True if nobody else can have taken over by now. Any thread. */
    boolean isSure() {
        return runtime.clock().nanos() - sureUntil < 0;
    }

    /** Begins to renew; tells {@code deposed}, on the elector's thread, if another took over. */
    void start(Runnable deposed) {
        whenDeposed = deposed;
        later(settings.interval());
    }

    /** True if somebody else has taken over. */
    boolean isDeposed() {
        return deposed;
    }

    /** Renews no more. */
    void stop() {
        stopped = true;
    }

    /**
     * The record as it stays; known once nothing is on its way. To be asked after {@link #stop}.
     */
    CompletableFuture<LeaderRecord> kept() {
        return sent.handle((done, failure) -> record);
    }

    private void later(Duration pause) {
        runtime.scheduler().schedule(pause, runtime.elector(), this::renew);
    }

    private void renew() {
        if (stopped) {
            return;
        }
        long since = runtime.clock().nanos();
        LeaderRecord next = record.renewed(revisions.committed().revision());
        WriteBatch batch =
                WriteBatch.builder()
                        .compareAndSet(coder.leaderKey(), record.encode(), next.encode())
                        .build();
        sent =
                commits.run(batch)
                        .handleAsync(
                                (result, failure) -> {
                                    renewed(next, since, result, failure);
                                    return null;
                                },
                                runtime.elector());
    }

    private void renewed(LeaderRecord next, long since, CommitResult result, Throwable failure) {
        if (result instanceof CommitResult.Committed) {
            record = next;
            sureFrom(since);
            Duration took = Duration.ofNanos(runtime.clock().nanos() - since);
            Duration rest = settings.interval().minus(took);
            later(rest.isNegative() ? Duration.ZERO : rest);
        } else if (result instanceof CommitResult.Conflict) {
            boolean current = !stopped; // else it is another term's record by now
            stopped = true;
            deposed = true;
            if (current) {
                whenDeposed.run();
            }
        } else {
            LOG.warn(
                    "the leadership could not be renewed, will try again: {}",
                    result instanceof CommitResult.Unavailable away
                            ? away.cause().getMessage()
                            : String.valueOf(failure));
            later(RETRY_PAUSE);
        }
    }

    private void sureFrom(long since) {
        sureUntil = since + settings.sure().toNanos();
    }
}
