package io.brain.backend;

import io.brain.backend.compact.AutoCompactor;
import io.brain.backend.hash.Hasher;
import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.key.Fence;
import io.brain.backend.key.IdentityRecord;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.lead.Elector;
import io.brain.backend.lead.LeaderTerm;
import io.brain.backend.lead.StoreState;
import io.brain.backend.lead.TermContext;
import io.brain.backend.lead.TxnReader;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.read.RangeReader;
import io.brain.backend.read.ReadPoints;
import io.brain.backend.read.Reads;
import io.brain.backend.read.Reply;
import io.brain.backend.revision.Pins;
import io.brain.backend.revision.ReadPoint;
import io.brain.backend.revision.Revisions;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.watch.CommitLogReader;
import io.brain.backend.watch.EventRing;
import io.brain.backend.watch.WatchHub;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.backend.write.RequestChecks;
import io.brain.backend.write.Store;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node on one store: the parts of the backend, wired by hand. The storage and the runtime are
 * lent: whoever opened them closes them, after the node.
 */
public final class Node implements Backend {
    /** What etcd wraps a request in before it measures it: ids, and the request's own length. */
    private static final int ENVELOPE_BYTES = 18;

    /** What etcd counts a lease against the quota. */
    private static final long LEASE_COST = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final SortedSet<Alarm> NO_ALARMS = Collections.emptySortedSet();
    private static final RangeQuery PROBE = RangeQuery.of(KeySpan.of(Bytes.utf8("health")));

    private final NodeLimits limits;
    private final RequestChecks checks;
    private final Revisions revisions;
    private final KvStorage storage;
    private final Reads reads;
    private final WatchHub hub;
    private final Elector elector;
    private final PendingRequests pending;
    private final Hasher hasher;
    private final AutoCompactor autoCompactor;
    private volatile boolean closed;

    private Node(Store store, NodeSettings settings, BackendRuntime runtime) {
        limits = settings.limits();
        checks = new RequestChecks(limits.txnOpsMax());
        revisions = store.revisions();
        storage = store.storage();
        RangeReader reader = new RangeReader(store.storage(), store.coder(), revisions);
        reads = new Reads(reader, new Points(), runtime.readers(), settings.read());
        hub =
                new WatchHub(
                        runtime,
                        revisions,
                        new EventRing(
                                settings.watch().ringBytesMax(), revisions.committed().revision()),
                        new CommitLogReader(
                                store.storage(), store.coder(), settings.watch().catchUpBytesMax()),
                        settings.watch());
        elector =
                new Elector(
                        new TermContext(
                                store,
                                hub,
                                new TxnReader(reader, reads),
                                new Pins(),
                                runtime,
                                settings.term()));
        pending = new PendingRequests(runtime, limits.requestTimeout());
        hasher = new Hasher(store, runtime.background(), settings.upkeep().hash());
        autoCompactor =
                new AutoCompactor(
                        () -> revisions.committed().revision(),
                        () -> elector.term() != null,
                        revision -> compact(revision, false),
                        runtime,
                        settings.upkeep().autoCompact());
    }

    /**
     * Opens a node and has it try to lead; {@link #elected} tells when it does. Reads what the
     * store says of itself: blocks for the engine.
     *
     * @throws StorageException if the store cannot be read or is not Brain's, or if it is of a kind
     *     that several processes open at once
     */
    public static Node open(KvStorage storage, NodeSettings settings, BackendRuntime runtime) {
        if (!storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN)) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    "this storage can be shared, and this version of Brain cannot share it");
        }
        KeyCoder coder = new KeyCoder(settings.keyspace());
        StoreState state = StoreState.read(storage, coder);
        Revisions revisions = new Revisions(state.point(), state.compact().floor());
        Node node = new Node(new Store(storage, coder, revisions), settings, runtime);
        node.pending.start();
        node.elector.start();
        node.autoCompactor.start();
        return node;
    }

    /**
     * Ends when the node leads for the first time, which is when it can serve; fails with a {@link
     * StorageException} if an operator must do something first.
     */
    public CompletableFuture<Void> elected() {
        return elector.elected();
    }

    /** See {@link Elector#broken}. */
    public CompletableFuture<StorageException> broken() {
        return elector.broken();
    }

    /** What the node is doing. */
    public NodeStats stats() {
        return NodeStats.of(elector.term(), reads, hub);
    }

    @Override
    public CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query) {
        try {
            RequestChecks.check(query);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return reads.range(query);
    }

    @Override
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes) {
        // etcd's order: the quota, then the request's form, then its size.
        long cost = RequestChecks.quotaCost(txn);
        if (exceedsQuota(cost)) {
            return refuseForSpace();
        }
        try {
            checks.check(txn);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        if (txn.isReadOnly()) {
            return reads.txn(txn, wireBytes);
        }
        if (wireBytes + ENVELOPE_BYTES > limits.requestBytesMax()) {
            return failed(ErrorKind.REQUEST_TOO_LARGE);
        }
        return ask(term -> term.txn(txn, wireBytes));
    }

    @Override
    public CompletableFuture<Long> compact(long revision, boolean physical) {
        CompletableFuture<Long> raised = ask(term -> term.compact(revision));
        if (!physical) {
            return raised;
        }
        return pending.answer(
                raised.thenCompose(
                        newest ->
                                leading(term -> term.removed(revision))
                                        .thenApply(removed -> newest)));
    }

    @Override
    public CompletableFuture<Granted> grantLease(long id, long ttl) {
        if (exceedsQuota(LEASE_COST)) {
            return refuseForSpace();
        }
        return ask(term -> term.grantLease(id, ttl).thenApply(Granted::of));
    }

    @Override
    public CompletableFuture<Long> revokeLease(long id) {
        return ask(term -> term.revokeLease(id));
    }

    @Override
    public CompletableFuture<Granted> keepLeaseAlive(long id) {
        return ask(term -> term.keepLeaseAlive(id).thenApply(Granted::of));
    }

    @Override
    public CompletableFuture<LeaseStatus> leaseStatus(long id, boolean withKeys) {
        return ask(term -> term.leaseTimes(id, withKeys).thenApply(LeaseStatus::of));
    }

    @Override
    public CompletableFuture<List<Long>> leases() {
        return ask(LeaderTerm::leases);
    }

    @Override
    public WatchStream watch(WatchSink sink) {
        return hub.open(sink);
    }

    @Override
    public CompletableFuture<Boolean> raiseAlarm(Alarm alarm) {
        return ask(term -> term.raise(alarm));
    }

    @Override
    public CompletableFuture<Boolean> disarmAlarm(Alarm alarm) {
        return ask(term -> term.disarm(alarm));
    }

    @Override
    public CompletableFuture<KvHash> hashHistory(long revision) {
        return hasher.history(revision);
    }

    @Override
    public CompletableFuture<StoreHash> hashStore() {
        return hasher.everything();
    }

    @Override
    public void reclaim() {
        storage.reclaim();
    }

    @Override
    public Status status() {
        LeaderTerm term = elector.term();
        LeaderTerm latest = elector.latestTerm();
        if (latest == null) {
            long revision = revisions.committed().revision();
            long floor = revisions.floor();
            long quota = limits.quotaBytes();
            return new Status(0, 0, 0, revision, floor, 0, 0, 0, quota, NO_ALARMS);
        }
        IdentityRecord identity = latest.identity();
        Fence fence = latest.fence();
        return new Status(
                identity.clusterId(),
                identity.memberId(),
                term == null ? 0 : identity.memberId(),
                revisions.committed().revision(),
                revisions.floor(),
                fence.epoch(),
                fence.batch(),
                fence.bytes(),
                limits.quotaBytes(),
                latest.alarms());
    }

    @Override
    public CompletableFuture<Void> checkReadable() {
        return pending.answerInTime(reads.range(PROBE).thenAccept(reply -> reply.held().close()));
    }

    @Override
    public void close() {
        closed = true;
        autoCompactor.close();
        hub.close(ErrorKind.STOPPED);
        reads.close();
        hasher.close();
        pending.close(new BackendException(ErrorKind.STOPPED));
        elector.close();
    }

    /** Has the leader's term do something, and waits for that only so long. */
    private <T> CompletableFuture<T> ask(Function<LeaderTerm, CompletionStage<T>> what) {
        return pending.answerInTime(leading(what));
    }

    private <T> CompletionStage<T> leading(Function<LeaderTerm, CompletionStage<T>> what) {
        LeaderTerm term = elector.term();
        if (term == null || closed) {
            return failed(closed ? ErrorKind.STOPPED : ErrorKind.NO_LEADER);
        }
        return what.apply(term);
    }

    private boolean exceedsQuota(long cost) {
        LeaderTerm term = elector.term();
        return cost > 0
                && limits.quotaBytes() > 0
                && term != null
                && term.fence().bytes() + cost >= limits.quotaBytes();
    }

    /** Answers that there is no space once the alarm that says so is raised, as etcd does. */
    private <T> CompletableFuture<T> refuseForSpace() {
        return ask(term -> term.raise(term.ownAlarm(Alarm.NO_SPACE)))
                .thenCompose(
                        fresh -> {
                            if (fresh) {
                                LOG.warn(
                                        "the quota of {} bytes is used up: an alarm stops what"
                                                + " needs room until it is disarmed",
                                        limits.quotaBytes());
                            }
                            return failed(ErrorKind.NO_SPACE);
                        });
    }

    private static <T> CompletableFuture<T> failed(ErrorKind kind) {
        return CompletableFuture.failedFuture(new BackendException(kind));
    }

    /** What may be read: while this node leads, and only then, its newest state is the newest. */
    private final class Points implements ReadPoints {
        @Override
        public ReadPoint own() {
            return revisions.committed();
        }

        @Override
        public CompletionStage<ReadPoint> linearizable() {
            return leading(term -> CompletableFuture.completedFuture(revisions.committed()));
        }
    }
}
