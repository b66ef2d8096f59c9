package io.brain.backend.cluster.election;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetAuth;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GetReadPoint;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.LeaderPoint;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.compact.Compactor;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.ttl.TtlScanner;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnEvaluator;
import io.brain.backend.txn.TxnProposal;
import io.brain.backend.write.Sequencer;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * The components that exist for one epoch of this node's leadership: sequencer, leases, expiry by
 * rules, compactor, alarms. Created on a thread that may block, started on the sequencer's.
 */
public final class LeaderTerm implements TermLeases.Leadership {
    private static final int PROOF_TRIES = 3;

    /** Maximum age of the read point: without writes, batches of the fence alone are sent. */
    private static final Duration IDLE_MAX = Duration.ofMinutes(1);

    private final Promotion.Acquired acquired;
    private final long floor;
    private final TermContext context;
    private final LeaderLease lease;
    private final WriterLeadership leadership;
    private final Sequencer sequencer;
    private final Alarms alarms;
    private final Authority authority;
    private final TermLeases leases;
    private final Standby standby;
    private final TxnEvaluator transactions;
    private final Compactor compactor;
    private final TtlScanner ttl;

    /**
     * Creates a term that {@link #start} starts. Reads small records: blocks.
     *
     * @param lease null if the term does not start
     * @param onLost called on the sequencer's thread if the sequencer ended: why, and the cause or
     *     null
     */
    LeaderTerm(
            Promotion.Acquired acquired,
            TermContext context,
            LeaderLease lease,
            BiConsumer<ErrorKind, Throwable> onLost) {
        this.acquired = acquired;
        this.context = context;
        this.lease = lease;
        TermSettings settings = context.settings();
        KeyCoder coder = context.store().coder();
        try (Snapshot snapshot = context.store().open(acquired.point())) {
            List<Bytes> records = snapshot.get(coder.termKeys());
            floor = CompactRecord.decode(records.get(3)).floor();
            AlarmRecord raised = AlarmRecord.decode(records.get(0));
            alarms = new Alarms(raised, acquired.fence().epoch(), coder);
            AuthState known = context.auth().current();
            AuthState auth = StoredAuth.read(snapshot, records.get(2), coder, known);
            authority = new Authority(auth, context.auth(), coder);
            leases = new TermLeases(context, snapshot, authority, alarms, this::submit, this);
            standby =
                    new Standby(
                            context.store(),
                            ImportRecord.decode(records.get(1)),
                            leases,
                            this::submitSized,
                            this::isHeld,
                            this::proof);
        }
        long member = acquired.record().memberId();
        leadership =
                new WriterLeadership(
                        lease, alarms, member, this::submit, context.runtime(), onLost);
        transactions = new TxnEvaluator(leases::exists, context.pins(), coder);
        sequencer =
                new Sequencer(
                        context.store(),
                        context.listener(),
                        leadership,
                        context.runtime(),
                        settings.write(),
                        acquired.fence());
        compactor =
                new Compactor(
                        context.store(),
                        this::submit,
                        context.pins()::lowest,
                        context.runtime(),
                        settings.compact());
        ttl =
                new TtlScanner(
                        context.store(),
                        settings.write().ttlRules(),
                        () -> !standby.isActive(),
                        expiry -> submit(alarms.guard(false, expiry)),
                        context.runtime());
    }

    /** Publishes the start state, before the first commit and the first read point. */
    void publish() {
        authority.publish();
        context.store().revisions().publish(acquired.point(), floor);
    }

    /** Starts the components. On the sequencer's thread. */
    void start() {
        refreshLater(acquired.fence().batch());
        if (!standby.isActive()) {
            leases.start();
        }
        compactor.start();
        ttl.start();
    }

    /**
     * Refuses further writes with NOT_LEADER; completes when all earlier ones are answered. On the
     * sequencer's thread.
     */
    CompletableFuture<Void> drain() {
        stopBackgroundWork();
        return sequencer.drain();
    }

    /** Begins the full TTL of all leases. On the sequencer's thread. */
    void restartLeases() {
        leases.restart();
    }

    /** Fails everything that is pending; completes when the term does nothing more. */
    CompletionStage<Void> close(ErrorKind why) {
        stopBackgroundWork();
        return sequencer.close(why);
    }

    private void stopBackgroundWork() {
        leases.close();
        compactor.close();
        ttl.close();
    }

    /** Completes when everything submitted before is answered. */
    private CompletableFuture<Void> answered() {
        return submit(turn -> Answer.of(null));
    }

    /** True if no other node can have taken over: answers need no commit that proves it. */
    @Override
    public boolean isSure() {
        return sequencer.isOpen() && lease.isSure();
    }

    /** True if this node counts as the leader; see {@link LeaderLease#isHeld}. */
    @Override
    public boolean isHeld() {
        return sequencer.isOpen() && lease.isHeld();
    }

    /** Executes a command. */
    @SuppressWarnings("unchecked") // the result of a command has the command's type
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        return (CompletableFuture<T>) execute(command.plain(), command.caller());
    }

    private CompletableFuture<?> execute(LeaderCommand<?> command, Caller caller) {
        boolean needsSpace = command.quotaCost() > 0;
        if (standby.isActive() && command.changesData()) {
            return CompletableFuture.failedFuture(new BackendException(ErrorKind.STANDBY));
        }
        if (command instanceof RunTxn run) {
            return run(run, caller, needsSpace);
        } else if (command instanceof GetReadPoint) {
            return readPoint();
        } else if (command instanceof KeepLeaseAlive renewal) {
            return leases.keepAlive(caller, renewal.id());
        } else if (command instanceof GrantLease grant) {
            return leases.grant(caller, grant.id(), grant.ttl(), needsSpace);
        } else if (command instanceof RevokeLease revoke) {
            return leases.revoke(caller, revoke.id());
        } else if (command instanceof GetLeaseTimes of) {
            return leases.times(caller, of.id(), of.withKeys());
        } else if (command instanceof ListLeases) {
            return leases.list(caller);
        } else if (command instanceof Compact compact) {
            return compact(compact, caller);
        } else if (command instanceof RaiseAlarm raise) {
            return submit(alarms.raise(raise.alarm()), caller.tenant());
        } else if (command instanceof DisarmAlarm disarm) {
            return submit(alarms.disarm(disarm.alarm()), caller.tenant());
        } else if (command instanceof ListAlarms) {
            return readPoint().thenApply(point -> alarms.raised());
        } else if (command instanceof ChangeAuth change) {
            return submit(authority.change(caller, change.change()), caller.tenant());
        } else if (command instanceof GetAuth) {
            return readPoint().thenApply(point -> authority.durable());
        }
        throw new IllegalArgumentException("unknown command: " + command);
    }

    /** The alarms are checked first, as in etcd. */
    private CompletableFuture<Reply<OpResult.Txn>> run(
            RunTxn run, Caller caller, boolean needsSpace) {
        long epoch = acquired.fence().epoch();
        var proposal =
                new TxnProposal<>(
                        run.txn(),
                        transactions,
                        answer -> context.reader().finish(caller.tenant(), epoch, answer));
        Proposal<Reply<OpResult.Txn>> checked =
                proposal.after(
                        turn -> {
                            alarms.check(needsSpace);
                            authority.check(caller, run.txn(), turn);
                        });
        return sequencer.submitTxn(
                checked, run.txn().rangeDeletes(), caller.tenant(), run.wireBytes());
    }

    /** A state that contains everything that any node answered before the call. */
    private CompletableFuture<LeaderPoint> readPoint() {
        return proof().thenApply(done -> authority.at(context.store().revisions().committed()));
    }

    /** Completes when it is sure that no other node had taken over at the call. */
    private CompletableFuture<Void> proof() {
        return isSure() ? CompletableFuture.completedFuture(null) : proof(PROOF_TRIES);
    }

    /** By a batch, which may be refused because of others' changes. */
    private CompletableFuture<Void> proof(int tries) {
        return answered()
                .exceptionallyCompose(
                        failure ->
                                tries > 1 && sequencer.isOpen()
                                        ? proof(tries - 1)
                                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Long> compact(Compact command, Caller caller) {
        long floor = command.revision();
        CompletableFuture<Long> raised =
                submit(alarms.guard(false, compactor.compact(floor)), caller.tenant());
        return command.physical()
                ? raised.thenCompose(newest -> compactor.removed(floor).thenApply(done -> newest))
                : raised;
    }

    /** The store as a standby of another cluster. */
    public Standby standby() {
        return standby;
    }

    public RaisedAlarms alarms() {
        return alarms.raised();
    }

    /** The fence of the last published batch. */
    public Fence fence() {
        return sequencer.fence();
    }

    /** The last stored renewal of the leader record. */
    long renewal() {
        return lease.renewal();
    }

    public WriteStats writeStats() {
        return sequencer.stats();
    }

    public int leaseCount() {
        return leases.count();
    }

    /** A summary of the leases, of which it lists so many. */
    public LeaseSummary leaseSummary(int listed) {
        return leases.summary(listed);
    }

    public CompactStats compactStats() {
        return compactor.stats();
    }

    private <T> CompletableFuture<T> submit(Proposal<T> proposal) {
        return submit(proposal, Tenant.SERVER);
    }

    private <T> CompletableFuture<T> submit(Proposal<T> proposal, Tenant tenant) {
        return sequencer.submit(proposal, tenant, 0);
    }

    private <T> CompletableFuture<T> submitSized(Proposal<T> proposal, int bytes) {
        return sequencer.submit(proposal, Tenant.SERVER, bytes);
    }

    /** Schedules a batch for the case that there are no writes: it renews the read point. */
    private void refreshLater(long batch) {
        if (context.store().readsAtTimestamps()) {
            context.runtime()
                    .scheduler()
                    .schedule(IDLE_MAX, context.runtime().sequencer(), () -> refresh(batch));
        }
    }

    private void refresh(long batch) {
        if (sequencer.isOpen()) {
            leadership.requireBatch(fence().batch() == batch);
            Futures.onEnd(answered(), (done, failure) -> refreshLater(fence().batch()));
        }
    }
}
