package io.brain.backend.lead;

import io.brain.backend.key.Fence;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.revision.Revisions;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this node the leader, and again when it has lost that. This is the form for an engine that
 * one process opens at a time: there is no other candidate to wait for, so it takes over at once,
 * and while the process lives nobody else can have taken over.
 */
public final class Elector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Elector.class);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

    private final TermContext context;
    private final BackendRuntime runtime;
    private final Promotion promotion;
    private final CompletableFuture<Void> elected = new CompletableFuture<>();
    private final CompletableFuture<StorageException> broken = new CompletableFuture<>();
    private final LeaderTerm.Holder holder = new Holder();

    /** Changed on the sequencer thread only. */
    private volatile LeaderTerm term;

    private volatile LeaderTerm latestTerm;

    private volatile boolean closed;

    /** An elector that does nothing until {@link #start}. */
    public Elector(TermContext context) {
        this.context = context;
        this.runtime = context.runtime();
        this.promotion = new Promotion(context.store().storage(), context.store().coder(), runtime);
    }

    /** Begins to try. */
    public void start() {
        runtime.background().execute(this::campaign);
    }

    /**
     * Ends when this node leads for the first time; fails with a {@link StorageException} if that
     * needs an operator.
     */
    public CompletableFuture<Void> elected() {
        return elected;
    }

    /** Ends when this node has given up leading: the store needs an operator, for this reason. */
    public CompletableFuture<StorageException> broken() {
        return broken;
    }

    /** This node's term; null while it does not lead. Any thread. */
    public LeaderTerm term() {
        return term;
    }

    /** This node's term, or the last one it had; null before the first. Any thread. */
    public LeaderTerm latestTerm() {
        return latestTerm;
    }

    /** Ends the term: what is pending in it fails with STOPPED. Does not wait. */
    @Override
    public void close() {
        closed = true;
        runtime.sequencer().execute(() -> end(ErrorKind.STOPPED));
    }

    private void campaign() {
        if (closed) {
            return;
        }
        CompletionStage<StoreState> run;
        try {
            run = promotion.run();
        } catch (RuntimeException e) {
            run = CompletableFuture.failedFuture(e);
        }
        run.thenApplyAsync(this::prepare, runtime.background())
                .thenAcceptAsync(this::begin, runtime.sequencer())
                .exceptionally(this::failed);
    }

    /** On a background thread: the term reads what it goes on from. */
    private LeaderTerm prepare(StoreState state) {
        Revisions revisions = context.store().revisions();
        revisions.raiseFloor(Math.max(revisions.floor(), state.compact().floor()));
        revisions.publish(state.point());
        return new LeaderTerm(state, context, holder);
    }

    /** On the sequencer thread. */
    private void begin(LeaderTerm next) {
        if (closed) {
            return;
        }
        term = next;
        latestTerm = next;
        next.start();
        runtime.listener().termBegan();
        Fence fence = next.fence();
        LOG.info("leading in epoch {}, at revision {}", fence.epoch(), fence.revision());
        elected.complete(null);
    }

    /** On the sequencer thread. */
    private void lost(ErrorKind why, Throwable cause) {
        LOG.warn("lost the leadership: {}", cause == null ? why : cause.toString());
        end(why);
        again();
    }

    private void end(ErrorKind why) {
        LeaderTerm ending = term;
        term = null;
        if (ending != null) {
            ending.close(why);
        }
    }

    private Void failed(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof StorageException storage && storage.kind().isLasting()) {
            LOG.error("cannot lead", cause);
            elected.completeExceptionally(cause);
            broken.complete(storage);
        } else {
            LOG.warn("cannot lead yet, will try again: {}", cause.toString());
            again();
        }
        return null;
    }

    private void again() {
        runtime.scheduler().schedule(RETRY_PAUSE, runtime.background(), this::campaign);
    }

    /** A hold that only this process can let go of. */
    private final class Holder implements LeaderTerm.Holder {
        @Override
        public boolean isSure() {
            return true;
        }

        @Override
        public void lost(ErrorKind why, Throwable cause) {
            Elector.this.lost(why, cause);
        }
    }
}
