package io.brain.backend.cluster.election;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Store;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this node leads or follows. It reads the leader record at intervals, follows the
 * leader in it, and starts a promotion as {@link LeaderObservation} permits. On exclusive storage
 * it neither waits nor renews.
 *
 * <p>Safety depends on the fence alone ({@link Promotion}). The state belongs to the elector's
 * thread; terms begin and end on the sequencer's.
 */
public final class Elector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Elector.class);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORT_PAUSE = Duration.ofMillis(10);

    private enum Phase {
        /** Becoming a member. */
        JOINING,
        /** Observing the leader record, and following the leader in it. */
        FOLLOWING,
        PROMOTING,
        LEADING,
        RESIGNING,
        CLOSED
    }

    private final Store store;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final Follower follower;
    private final SilenceTimer silence;
    private final ResolvingCommit commits;
    private final TermHolder terms;
    private final boolean exclusive;
    private final CompletableFuture<Void> elected = new CompletableFuture<>();
    private final CompletableFuture<StorageException> broken = new CompletableFuture<>();
    private Phase phase = Phase.JOINING;
    private LeaderObservation observation;
    private InstanceLease instance;
    private LeaderLease lease;
    private boolean candidate = true;
    private Scheduler.Timer nextObservation = () -> {};
    private volatile IdentityRecord identity;

    /**
     * Creates an elector, which {@link #start} starts.
     *
     * @param ring filled by the context's listener
     */
    public Elector(TermContext context, EventRing ring, Peers peers, ElectionSettings settings) {
        this.runtime = context.runtime();
        this.store = context.store();
        this.settings = settings;
        exclusive = store.isExclusive();
        commits = new ResolvingCommit(store.storage(), runtime);
        Runnable onContact = () -> elected.complete(null);
        follower =
                new Follower(context, ring, peers, settings, onContact, () -> run(this::observe));
        terms = new TermHolder(context, ring, settings, follower, () -> run(this::termEnded));
        silence = new SilenceTimer(follower, runtime, this::observe);
    }

    /** Starts to join the cluster. */
    public void start() {
        run(this::join);
    }

    /** Completes when a leader is known; fails with a StorageException that needs an operator. */
    public CompletableFuture<Void> elected() {
        return elected;
    }

    /** Completes when this node stops for a reason that needs an operator. */
    public CompletableFuture<StorageException> broken() {
        return broken;
    }

    /** The ids of the cluster and of this member; null until it has joined. Any thread. */
    public IdentityRecord identity() {
        return identity;
    }

    /** This node's term; null while it does not lead. Any thread. */
    public LeaderTerm term() {
        return terms.current();
    }

    /** This node's term while it counts as the leader; otherwise null. Any thread. */
    public LeaderTerm heldTerm() {
        return terms.held();
    }

    /** What this node knows from the leader while it follows. Any thread. */
    public Follower follower() {
        return follower;
    }

    /** The newest known fence, of this node's latest term or of another leader. Any thread. */
    public Fence newestFence() {
        return terms.newestFence();
    }

    /** Opens a follower's event stream of an epoch. Any thread. */
    public EventStream openStream(long epoch, long from, EventTarget target) {
        return terms.streams().open(epoch, from, target);
    }

    /**
     * Resigns if this node leads: completes accepted commands, ends the term, and stores that in
     * the leader record, so that other nodes need not wait for the lease. Completes when this node
     * does not lead, or the successor cannot. Any thread.
     *
     * @param successor the member that should lead next; 0: any
     * @param forever never lead again
     */
    public CompletableFuture<Void> resign(long successor, boolean forever) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        run(
                () -> {
                    candidate &= !forever;
                    resign(successor, done);
                });
        return done;
    }

    private void resign(long successor, CompletableFuture<Void> done) {
        if (phase == Phase.PROMOTING || phase == Phase.RESIGNING) {
            schedule(SHORT_PAUSE, () -> resign(successor, done));
        } else if (phase == Phase.LEADING && !exclusive) {
            phase = Phase.RESIGNING;
            Futures.onEnd(
                    terms.resign(lease, successor),
                    (kept, failure) -> run(() -> resigned(kept != null && kept, done)));
        } else {
            releaseInstance(done);
        }
    }

    private void resigned(boolean kept, CompletableFuture<Void> done) {
        if (phase == Phase.RESIGNING && kept && terms.current() != null) {
            phase = Phase.LEADING;
        } else if (phase == Phase.RESIGNING) {
            stopLease();
            phase = Phase.FOLLOWING;
        }
        releaseInstance(done);
        observe();
    }

    /** Lets another process serve as this member at once, if this one will not lead again. */
    private void releaseInstance(CompletableFuture<Void> done) {
        CompletableFuture<?> released =
                candidate || instance == null
                        ? CompletableFuture.completedFuture(null)
                        : instance.release();
        Futures.onEnd(released, (stored, failure) -> done.complete(null));
    }

    private void run(Runnable task) {
        runtime.elector().execute(task);
    }

    private Scheduler.Timer schedule(Duration pause, Runnable task) {
        return runtime.scheduler().schedule(pause, runtime.elector(), task);
    }

    /** Ends the term: its pending commands fail with LEADER_CHANGED. Does not wait. */
    @Override
    public void close() {
        run(
                () -> {
                    phase = Phase.CLOSED;
                    nextObservation.cancel();
                    silence.cancel();
                    follower.stop();
                    stopLease();
                });
        terms.close();
    }

    private void join() {
        if (phase == Phase.JOINING) {
            Admission admission =
                    new Admission(store, runtime, settings, commits, () -> phase != Phase.JOINING);
            Futures.onEnd(
                    admission.run(), (admitted, failure) -> run(() -> joined(admitted, failure)));
        }
    }

    private void joined(Admission.Admitted admitted, Throwable failure) {
        if (failure != null) {
            failed(failure, this::join);
        } else if (phase == Phase.JOINING) {
            identity = admitted.identity();
            instance = admitted.instance();
            observation = admitted.observation();
            phase = Phase.FOLLOWING;
            observe();
        }
    }

    private void next(Duration pause, Runnable observation) {
        nextObservation.cancel();
        nextObservation = schedule(pause, observation);
    }

    private void observe() {
        if (phase != Phase.FOLLOWING && phase != Phase.LEADING) {
            return;
        }
        try {
            observation.read();
            StorageException refusal = instance.refusal();
            if (refusal != null) {
                Futures.onEnd(resign(0, true), (done, failure) -> run(() -> stop(refusal)));
                return;
            }
            instance.renew();
            if (phase == Phase.LEADING) {
                if (observation.isNewerThan(lease)) {
                    terms.deposed(); // before a commit of this node fails for that
                } else if (terms.isStalled()) {
                    LOG.warn("batch not committed for long, leaving the leadership to others");
                    resign(0, new CompletableFuture<>());
                }
                next(settings.renewalInterval(), this::observe);
            } else {
                followOrPromote();
            }
        } catch (RuntimeException failure) {
            failed(failure, this::observe);
        }
    }

    private void followOrPromote() {
        Duration wait = observation.untilFree(follower);
        boolean free = wait.isZero() || wait.isNegative();
        if (free && candidate) {
            promote();
            return;
        }
        LeaderRecord leader = observation.leader();
        follower.follow(identity.clusterId(), leader);
        terms.rehearse();
        boolean changing = leader == null || follower.lostContact();
        Duration pause = changing ? SHORT_PAUSE : settings.renewalInterval();
        next(!free && wait.compareTo(pause) < 0 ? wait : pause, this::observe);
        silence.await();
    }

    private void promote() {
        phase = Phase.PROMOTING;
        terms.expect();
        nextObservation.cancel();
        silence.cancel();
        follower.stop();
        Promotion.Acquired given = observation.handedOver(lease);
        LeaderRecord record = settings.candidate(identity.memberId(), instance.id(), exclusive);
        new Promotion(store, commits, record, runtime.random().nextLong())
                .acquire(given, observation.stored(), terms.newestFence(), runtime.elector())
                .thenComposeAsync(this::begin, runtime.elector())
                .whenCompleteAsync((begun, failure) -> promoted(failure), runtime.elector());
    }

    private CompletionStage<Void> begin(Promotion.Acquired acquired) {
        long since = observation.readAt();
        lease = new LeaderLease(acquired.record(), since, commits, store, runtime, settings, terms);
        lease.start();
        return terms.begin(acquired, lease);
    }

    private void promoted(Throwable failure) {
        if (phase != Phase.PROMOTING) {
            stopLease();
        } else if (failure != null) {
            stopLease();
            terms.expectNone();
            phase = Phase.FOLLOWING;
            failed(failure, this::observe);
        } else {
            phase = Phase.LEADING;
            elected.complete(null);
            if (terms.current() == null) {
                termEnded();
            } else if (!exclusive) {
                lease.confirm();
                next(settings.renewalInterval(), this::observe);
                if (lease.isDeposed()) {
                    terms.deposed();
                }
            }
        }
    }

    private void termEnded() {
        if (phase == Phase.LEADING) {
            stopLease();
            phase = Phase.FOLLOWING;
            next(exclusive ? RETRY_PAUSE : SHORT_PAUSE, this::observe);
        }
    }

    private void stopLease() {
        if (lease != null) {
            lease.stop();
        }
    }

    private void failed(Throwable failure, Runnable retry) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof StorageException storage && storage.kind().isLasting()) {
            stop(storage);
            return;
        }
        boolean raced = Failures.isOf(ErrorKind.LEADER_CHANGED, cause);
        if (!raced) {
            LOG.warn("election failed, retrying error={}", cause.toString());
        }
        next(raced ? SHORT_PAUSE : RETRY_PAUSE, retry);
    }

    private void stop(StorageException cause) {
        if (phase != Phase.CLOSED) {
            LOG.error("election stopped, operator action required", cause);
            phase = Phase.CLOSED;
            elected.completeExceptionally(cause);
            broken.complete(cause);
        }
    }
}
