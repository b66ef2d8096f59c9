package io.brain.backend.cluster.election;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Store;
import io.brain.storage.CommitResult;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's part in the question who leads. It polls the leader's record, follows the leader that it
 * names, and takes over when the record was not renewed for a whole lease, or its holder resigned.
 * On an engine that one process opens at a time it neither waits nor renews.
 *
 * <p>Safety depends on the fence alone ({@link Promotion}). The state belongs to the elector's
 * thread; terms begin and end on the sequencer's.
 */
public final class Elector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Elector.class);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORT_PAUSE = Duration.ofMillis(50);

    private final TermContext context;
    private final Store store;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final Membership membership;
    private final Follower followership;
    private final ResolvingCommit commits;
    private final TermHolder terms;
    private final boolean alone;
    private final CompletableFuture<Void> elected = new CompletableFuture<>();
    private final CompletableFuture<StorageException> broken = new CompletableFuture<>();
    private Phase phase = Phase.JOINING;
    private LeaderObservation sighting;
    private InstanceLease instance;
    private Renewal renewal;
    private boolean abstains;
    private Scheduler.Timer nextLook = () -> {};
    private volatile IdentityRecord identity;

    /**
     * An elector; {@link #start} begins.
     *
     * @param ring where commits go through the context's listener
     * @param alone no other process can have the store open
     */
    public Elector(
            TermContext context,
            EventRing ring,
            Membership membership,
            Peers peers,
            ElectionSettings settings,
            boolean alone) {
        this.context = context;
        this.runtime = context.runtime();
        this.store = context.store();
        this.membership = membership;
        this.settings = settings;
        this.alone = alone;
        commits = new ResolvingCommit(store.storage(), runtime);
        terms = new TermHolder(context, ring, settings.heartbeat(), () -> run(this::leadNoMore));
        followership = new Follower(context, ring, peers, settings, () -> run(this::look));
    }

    /** Begins to take part. */
    public void start() {
        run(this::join);
    }

    /** Ends when a leader is known; fails with a StorageException that needs an operator. */
    public CompletableFuture<Void> elected() {
        return elected;
    }

    /** Ends when this node has given up: it needs an operator, for this reason. */
    public CompletableFuture<StorageException> broken() {
        return broken;
    }

    /** The ids of the cluster and of this member; null until it has joined. Any thread. */
    public IdentityRecord identity() {
        return identity;
    }

    /** This node's term; null while it does not lead. Any thread. */
    public LeaderTerm term() {
        return terms.now();
    }

    /** What this node knows of the leader while it follows. Any thread. */
    public Follower followership() {
        return followership;
    }

    /** What the last batch of the latest own term left; null before the first. Any thread. */
    public Fence lastFence() {
        return terms.fence();
    }

    /** A follower wants the stream of commits of one epoch. Any thread. */
    public TailSource tail(long epoch, long from, TailTarget target) {
        return terms.tails().open(epoch, from, target);
    }

    /**
     * Resigns, if this node leads; see {@link Resignation}. Any thread.
     *
     * @param successor the member that is to lead; 0: any
     * @param forGood never to lead again
     */
    public CompletableFuture<Void> resign(long successor, boolean forGood) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        run(
                () -> {
                    abstains |= forGood;
                    resign(successor, done);
                });
        return done;
    }

    private void resign(long successor, CompletableFuture<Void> done) {
        if (phase == Phase.TAKING || phase == Phase.RESIGNING) {
            again(SHORT_PAUSE, () -> resign(successor, done));
        } else if (phase == Phase.LEADING && !alone) {
            phase = Phase.RESIGNING;
            Futures.onEnd(
                    new Resignation(terms, renewal, commits, store.coder()).run(successor),
                    (result, failure) -> run(() -> resigned(result, failure, done)));
        } else {
            resigned(done);
        }
    }

    private void run(Runnable what) {
        runtime.elector().execute(what);
    }

    private Scheduler.Timer again(Duration pause, Runnable what) {
        return runtime.scheduler().schedule(pause, runtime.elector(), what);
    }

    /** Ends the term: what is pending in it fails with LEADER_CHANGED. Does not wait. */
    @Override
    public void close() {
        run(
                () -> {
                    phase = Phase.CLOSED;
                    nextLook.cancel();
                    followership.stop();
                    stopRenewal();
                });
        terms.close();
    }

    private void join() {
        if (phase != Phase.JOINING) {
            return;
        }
        Futures.onEnd(
                new Admission(membership, store, runtime, settings, alone)
                        .run(() -> phase != Phase.JOINING),
                (admitted, failure) -> run(() -> joined(admitted, failure)));
    }

    private void joined(Admission.Admitted admitted, Throwable failure) {
        if (failure != null) {
            failed(failure, this::join);
        } else if (phase == Phase.JOINING) {
            identity = admitted.identity();
            instance = admitted.instance();
            sighting = admitted.sighting();
            phase = Phase.LOOKING;
            look();
        }
    }

    private void lookIn(Duration pause) {
        nextLook.cancel();
        nextLook = again(pause, this::look);
    }

    private void look() {
        if (phase != Phase.LOOKING && phase != Phase.LEADING) {
            return;
        }
        try {
            sighting.look();
            StorageException refusal = instance.refusal();
            if (refusal != null) {
                Futures.onEnd(resign(0, true), (done, failure) -> run(() -> giveUp(refusal)));
                return;
            }
            instance.renew();
            if (phase == Phase.LEADING) {
                lookIn(settings.interval());
            } else {
                takePart();
            }
        } catch (RuntimeException failure) {
            failed(failure, this::look);
        }
    }

    private void takePart() {
        Duration wait = sighting.untilFree();
        boolean free = wait.isZero() || wait.isNegative();
        if (free && !abstains) {
            take();
        } else {
            followLeader(free ? settings.interval() : wait);
        }
    }

    private void followLeader(Duration wait) {
        LeaderRecord leader = sighting.leader();
        followership.follow(identity.clusterId(), leader);
        if (followership.leader() != null) {
            elected.complete(null);
        }
        boolean news = leader == null || followership.isLinkBroken();
        Duration pause = news ? SHORT_PAUSE : settings.interval();
        lookIn(wait.compareTo(pause) < 0 ? wait : pause);
    }

    private void take() {
        phase = Phase.TAKING;
        terms.expect();
        nextLook.cancel();
        followership.stop();
        long since = runtime.clock().nanos();
        LeaderRecord candidate = settings.candidate(identity.memberId(), instance.id(), alone);
        Promotion promotion = new Promotion(store, commits, candidate, runtime.random().nextLong());
        CompletionStage<Void> free =
                alone
                        ? CompletableFuture.completedFuture(null)
                        : store.storage().fenceOff(store.coder().fenceKey());
        free.thenComposeAsync(done -> promotion.run(sighting.stored()), runtime.elector())
                .thenComposeAsync(
                        taken -> terms.begin(taken, renewal(taken, since)), runtime.elector())
                .whenCompleteAsync((done, failure) -> taken(failure), runtime.elector());
    }

    private Renewal renewal(Promotion.Taken taken, long since) {
        if (!alone) {
            renewal = new Renewal(taken.record(), since, commits, context, settings);
            renewal.start(terms::depose);
        }
        return renewal;
    }

    private void taken(Throwable failure) {
        if (phase != Phase.TAKING) {
            stopRenewal();
            return;
        }
        if (failure != null) {
            stopRenewal();
            terms.expectNoMore();
            phase = Phase.LOOKING;
            failed(failure, this::look);
            return;
        }
        phase = Phase.LEADING;
        elected.complete(null);
        if (terms.now() == null) {
            leadNoMore();
        } else if (!alone) {
            lookIn(settings.interval());
            if (renewal.isDeposed()) {
                terms.depose();
            }
        }
    }

    private void leadNoMore() {
        if (phase == Phase.LEADING) {
            stopRenewal();
            phase = Phase.LOOKING;
            lookIn(alone ? RETRY_PAUSE : SHORT_PAUSE);
        }
    }

    private void stopRenewal() {
        if (renewal != null) {
            renewal.stop();
        }
    }

    private void resigned(CommitResult result, Throwable failure, CompletableFuture<Void> done) {
        LOG.info("gave the leadership up: {}", failure == null ? result : failure);
        if (phase == Phase.RESIGNING) {
            phase = Phase.LOOKING;
        }
        resigned(done);
        look();
    }

    /** A node that never leads again lets another process serve as its member at once. */
    private void resigned(CompletableFuture<Void> done) {
        boolean ends = abstains && instance != null;
        CompletableFuture<?> released =
                ends ? instance.release() : CompletableFuture.completedFuture(null);
        Futures.onEnd(released, (stored, failure) -> done.complete(null));
    }

    private void failed(Throwable failure, Runnable again) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof StorageException storage && storage.kind().isLasting()) {
            giveUp(storage);
            return;
        }
        boolean race =
                cause instanceof BackendException known && known.kind() == ErrorKind.LEADER_CHANGED;
        if (!race) {
            LOG.warn("cannot lead or follow yet, will try again: {}", cause.toString());
        }
        nextLook.cancel();
        nextLook = again(race ? SHORT_PAUSE : RETRY_PAUSE, again);
    }

    private void giveUp(StorageException cause) {
        if (phase != Phase.CLOSED) {
            LOG.error("cannot lead or follow", cause);
            phase = Phase.CLOSED;
            elected.completeExceptionally(cause);
            broken.complete(cause);
        }
    }
}
