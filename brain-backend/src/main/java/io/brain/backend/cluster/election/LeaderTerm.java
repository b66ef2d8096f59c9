package io.brain.backend.cluster.election;

import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GetReadPoint;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.compact.Compactor;
import io.brain.backend.lease.LeaseCheckpointer;
import io.brain.backend.lease.LeaseExpirer;
import io.brain.backend.lease.LeaseProposals;
import io.brain.backend.lease.LeaseRegistry;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.runtime.LeaseCensus;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnEvaluator;
import io.brain.backend.txn.TxnProposal;
import io.brain.backend.write.Leadership;
import io.brain.backend.write.Sequencer;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that lives for exactly one epoch of this node's leadership: the writer, the leases and their
 * expiry, the compactor, the alarms. Built on a thread that may block, started on the sequencer's.
 */
public final class LeaderTerm {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTerm.class);

    /** Time until an alarm that could not be stored is raised again. */
    private static final Duration ALARM_PAUSE = Duration.ofSeconds(1);

    /** Without writes a batch of the fence alone is sent so often, that the read point is young. */
    private static final Duration IDLE_MAX = Duration.ofMinutes(1);

    private final StoreState state;
    private final long memberId;
    private final TermContext context;
    private final Holder holder;
    private final Sequencer sequencer;
    private final Alarms alarms;
    private final LeaseRegistry leases;
    private final TxnEvaluator transactions;
    private final LeaseProposals leaseProposals;
    private final LeaseExpirer expirer;
    private final LeaseCheckpointer checkpointer;
    private final Compactor compactor;

    /** The next answer is to wait for a batch; sequencer thread only. */
    private boolean idle;

    /**
     * A term that does nothing until {@link #start}. Reads the small records: blocks.
     *
     * @param state the store as it was taken over
     * @param memberId this node's
     * @param holder asked and told about the leadership
     */
    LeaderTerm(StoreState state, long memberId, TermContext context, Holder holder) {
        this.state = state;
        this.memberId = memberId;
        this.context = context;
        this.holder = holder;
        TermSettings settings = context.settings();
        KeyCoder coder = context.store().coder();
        StoredLeases stored = new StoredLeases(context.store());
        leases = new LeaseRegistry(settings.lease().checkpointInterval());
        try (Snapshot snapshot = context.store().open(state.point())) {
            AlarmRecord raised = AlarmRecord.decode(snapshot.get(coder.alarmKey()));
            alarms = new Alarms(raised, state.fence().epoch(), coder);
            stored.restore(snapshot, leases, context.runtime().clock().nanos());
        }
        transactions = new TxnEvaluator(leases, context.pins(), coder);
        sequencer =
                new Sequencer(
                        context.store(),
                        context.listener(),
                        new Hold(holder),
                        context.runtime(),
                        settings.write(),
                        state.fence());
        leaseProposals =
                new LeaseProposals(
                        leases, coder, context.runtime(), stored::attachedKeys, settings.lease());
        expirer = new LeaseExpirer(leases, this::expireLease, context.runtime(), settings.lease());
        checkpointer =
                new LeaseCheckpointer(
                        leases,
                        due -> submit(leaseProposals.checkpoint(due)),
                        context.runtime(),
                        settings.lease());
        compactor =
                new Compactor(
                        context.store(),
                        this::submit,
                        context.pins()::lowest,
                        context.runtime(),
                        settings.compact());
    }

    /** Publishes what the term goes on from; before it commits, or is asked what may be read. */
    void publish() {
        context.store().revisions().publish(state.point(), state.compact().floor());
    }

    /** Goes to work. On the sequencer thread. */
    void start() {
        context.listener().committed(state.point());
        refreshLater(state.fence().batch());
        expirer.start();
        checkpointer.start();
        compactor.start();
    }

    /** Fails everything that is pending; ends when nothing of the term happens any more. */
    CompletionStage<Void> close(ErrorKind why) {
        expirer.close();
        checkpointer.close();
        compactor.close();
        return sequencer.close(why);
    }

    /** Ends when everything that was submitted before is answered. */
    CompletableFuture<Void> drained() {
        return submit(turn -> Answer.of(null));
    }

    /** The newest committed state; null unless {@link #isSure}. */
    public ReadPoint readPointNow() {
        return isSure() ? context.store().revisions().committed() : null;
    }

    /** True while no other node can have taken over: else this node counts as no leader. */
    public boolean isSure() {
        return sequencer.isOpen() && holder.isSure();
    }

    /** Executes a command. */
    @SuppressWarnings("unchecked") // each command's result is of the command's type
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        return (CompletableFuture<T>) execute(command);
    }

    private CompletableFuture<?> execute(LeaderCommand<?> command) {
        boolean needsSpace = command.quotaCost() > 0;
        if (command instanceof RunTxn run) {
            var proposal = new TxnProposal<>(run.txn(), transactions, context.reader()::finish);
            return sequencer.submit(alarms.guard(needsSpace, proposal), run.wireBytes());
        } else if (command instanceof GetReadPoint) {
            return readPoint();
        } else if (command instanceof KeepLeaseAlive renewal) {
            return keepLeaseAlive(renewal.id());
        } else if (command instanceof GrantLease grant) {
            var proposal = leaseProposals.grant(grant.id(), grant.ttl());
            return submit(alarms.guard(needsSpace, proposal));
        } else if (command instanceof RevokeLease revoke) {
            return revokeLease(revoke.id());
        } else if (command instanceof GetLeaseTimes of) {
            return submit(leaseProposals.times(of.id(), of.withKeys()));
        } else if (command instanceof ListLeases) {
            return submit(leaseProposals.list());
        } else if (command instanceof Compact compact) {
            return compact(compact);
        } else if (command instanceof RaiseAlarm raise) {
            return submit(alarms.raise(raise.alarm()));
        } else if (command instanceof DisarmAlarm disarm) {
            return submit(alarms.disarm(disarm.alarm()));
        } else if (command instanceof ListAlarms) {
            return readPoint().thenApply(point -> alarms.raised());
        }
        throw new IllegalArgumentException("unknown command: " + command);
    }

    /** A state that holds everything that any node answered before the call. */
    private CompletableFuture<ReadPoint> readPoint() {
        ReadPoint now = readPointNow();
        return now != null
                ? CompletableFuture.completedFuture(now)
                : drained().thenApply(done -> context.store().revisions().committed());
    }

    private CompletableFuture<Long> compact(Compact command) {
        long floor = command.revision();
        CompletableFuture<Long> raised = submit(alarms.guard(false, compactor.compact(floor)));
        return command.physical()
                ? raised.thenCompose(newest -> compactor.removed(floor).thenApply(done -> newest))
                : raised;
    }

    private CompletableFuture<Long> revokeLease(long id) {
        return submit(alarms.guard(false, leaseProposals.revoke(id)))
                .thenApply(
                        revision -> {
                            context.runtime().listener().leaseRevoked(false);
                            return revision;
                        });
    }

    /**
     * Renews a lease; if that is all, without standing in line with the writes. An expired one is
     * not renewed: its revoke is waited for, and the answer's TTL is 0, as for an unknown one.
     */
    private CompletableFuture<GrantedLease> keepLeaseAlive(long id) {
        // In this order: a renewal after the leadership is over means nothing to the successor.
        long renewed = leaseProposals.renew(id);
        if (renewed > 0 && isSure()) {
            long revision = context.store().revisions().committed().revision();
            return CompletableFuture.completedFuture(new GrantedLease(id, renewed, revision));
        }
        return submit(leaseProposals.keepAlive(id))
                .thenCompose(
                        answer -> {
                            GrantedLease over = new GrantedLease(id, 0, answer.revision());
                            return answer.ttl() == LeaseProposals.EXPIRED
                                    ? expireLease(id).thenApply(ended -> over)
                                    : CompletableFuture.completedFuture(answer);
                        });
    }

    /** The alarms that are raised. */
    public RaisedAlarms alarms() {
        return alarms.raised();
    }

    /** What the last published batch left under the fence's key. */
    public Fence fence() {
        return sequencer.fence();
    }

    /** What the write path has to do. */
    public WriteStats writeStats() {
        return sequencer.stats();
    }

    /** The leases, at most {@code listed} of them by name; looks at all unless that is 0. */
    public LeaseCensus leaseCensus(int listed) {
        return leases.census(listed, context.runtime().clock().nanos());
    }

    /** How far compaction has got. */
    public CompactStats compactStats() {
        return compactor.stats();
    }

    private CompletableFuture<Boolean> expireLease(long id) {
        return submit(alarms.guard(false, leaseProposals.expire(id)))
                .thenApply(
                        ended -> {
                            if (ended) {
                                context.runtime().listener().leaseRevoked(true);
                            }
                            return ended;
                        });
    }

    private <T> CompletableFuture<T> submit(Proposal<T> proposal) {
        return sequencer.submit(proposal, 0);
    }

    /** Sees to it that batches are sent, if only to move the read point on. */
    private void refreshLater(long batch) {
        if (context.store().readsAtTimestamps()) {
            context.runtime()
                    .scheduler()
                    .schedule(IDLE_MAX, context.runtime().sequencer(), () -> refresh(batch));
        }
    }

    private void refresh(long batch) {
        if (sequencer.isOpen()) {
            idle = fence().batch() == batch;
            Futures.onEnd(drained(), (done, failure) -> refreshLater(fence().batch()));
        }
    }

    /** The writer's side of the leadership. */
    private final class Hold implements Leadership {
        private final Holder holder;

        /** True from when an alarm is raised for want of space until it may be tried again. */
        private boolean raising;

        Hold(Holder holder) {
            this.holder = holder;
        }

        @Override
        public boolean isSure() {
            boolean wasIdle = idle;
            idle = false;
            return !wasIdle && holder.isSure();
        }

        @Override
        public void lost(ErrorKind why, Throwable cause) {
            holder.lost(why, cause);
        }

        @Override
        public void outOfSpace() {
            if (raising || alarms.raised().has(Alarm.NO_SPACE)) {
                return;
            }
            raising = true;
            Alarm own = new Alarm(memberId, Alarm.NO_SPACE);
            CompletionStage<Boolean> stored = submit(alarms.raise(own));
            stored.whenComplete(
                    (done, failure) ->
                            LOG.error(
                                    "out of space: an alarm stops what needs room"
                                            + " until there is some and it is disarmed",
                                    failure));
            context.runtime()
                    .scheduler()
                    .schedule(ALARM_PAUSE, context.runtime().sequencer(), () -> raising = false);
        }
    }
}
