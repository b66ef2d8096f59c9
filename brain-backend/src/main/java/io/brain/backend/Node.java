package io.brain.backend;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.cluster.Cluster;
import io.brain.backend.cluster.LeaderRouter;
import io.brain.backend.cluster.LocalLeader;
import io.brain.backend.cluster.NodeReadPoints;
import io.brain.backend.cluster.PendingRequests;
import io.brain.backend.cluster.Quota;
import io.brain.backend.cluster.StatusReporter;
import io.brain.backend.cluster.StoredCluster;
import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.Follower;
import io.brain.backend.cluster.election.Membership;
import io.brain.backend.cluster.election.StoreState;
import io.brain.backend.cluster.election.TermContext;
import io.brain.backend.cluster.election.TxnReader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.LeaderSide;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.compact.AutoCompactor;
import io.brain.backend.hash.Hasher;
import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.read.BudgetTiers;
import io.brain.backend.read.PinnedReads;
import io.brain.backend.read.RangeReader;
import io.brain.backend.read.Reads;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Pins;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.traffic.WriteTraffic;
import io.brain.backend.txn.KeyLimit;
import io.brain.backend.txn.RequestChecks;
import io.brain.backend.watch.CommitLogReader;
import io.brain.backend.watch.WatchHub;
import io.brain.backend.watch.WatchSettings;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import java.util.concurrent.CompletableFuture;

/**
 * One node on one store: the parts of the backend, wired by hand. The storage and the runtime are
 * lent: whoever opened them closes them, after the node.
 */
public final class Node implements Backend {
    /** What etcd wraps a request in before it measures it: ids, and the request's own length. */
    private static final int ENVELOPE_BYTES = 18;

    private static final Peers NO_PEERS =
            (memberId, urls) -> {
                throw new IllegalStateException("a lone node follows nobody");
            };

    private final NodeLimits limits;
    private final RequestChecks checks;
    private final KeyLimit keys;
    private final Revisions revisions;
    private final KvStorage storage;
    private final Reads reads;
    private final WatchHub hub;
    private final Elector elector;
    private final PendingRequests pending;
    private final LocalLeader local;
    private final LeaderRouter leader;
    private final Quota quota;
    private final Cluster cluster;
    private final StatusReporter status;
    private final Hasher hasher;
    private final AutoCompactor autoCompactor;
    private final Insight insight;

    private Node(Store store, NodeSettings settings, Peers peers, BackendRuntime runtime) {
        limits = settings.limits();
        checks = new RequestChecks(limits.txnOpsMax());
        keys = new KeyLimit(store.coder(), store.storage().keyBytesMax());
        revisions = store.revisions();
        storage = store.storage();
        boolean alone = storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN);
        long now = revisions.committed().revision();
        HeadCache cache = new HeadCache(settings.read().cacheBytesMax(), now);
        RangeReader reader = new RangeReader(storage, store.coder(), revisions, cache);
        BudgetTiers responseBudget = BudgetTiers.of(settings.read());
        PinnedReads pinnedReads = new PinnedReads(revisions, runtime.readers(), responseBudget);
        EventRing ring = new EventRing(settings.watch().ringBytesMax(), now);
        WatchSettings watch = settings.watch();
        CommitLogReader log = new CommitLogReader(storage, store.coder(), watch.catchUpBytesMax());
        hub = new WatchHub(runtime, revisions, ring, log, watch);
        WriteTraffic traffic = new WriteTraffic(runtime.clock());
        Membership membership = new Membership(store, runtime, settings.election(), alone);
        elector =
                new Elector(
                        new TermContext(
                                store,
                                cache.and(traffic).and(hub),
                                new TxnReader(reader, pinnedReads),
                                new Pins(),
                                runtime,
                                settings.term()),
                        ring,
                        membership,
                        peers,
                        settings.election(),
                        alone);
        insight = new NodeInsight(hub, elector, traffic, runtime);
        pending = new PendingRequests(runtime, limits.requestTimeout());
        local = new LocalLeader(elector);
        status = new StatusReporter(elector, revisions, limits.quotaBytes());
        Follower following = elector.followership();
        long waitingBytesMax = settings.term().write().requestBytesMax();
        leader =
                new LeaderRouter(
                        local, following, status, revisions, pending, runtime, waitingBytesMax);
        quota = new Quota(limits.quotaBytes(), status, leader);
        NodeReadPoints readPoints = new NodeReadPoints(leader, local, revisions, pending);
        reads = new Reads(reader, readPoints, runtime.readers(), responseBudget, settings.read());
        cluster = new StoredCluster(membership, elector, pending, runtime, alone ? null : peers);
        hasher = new Hasher(store, runtime.background(), settings.upkeep().hash());
        autoCompactor =
                new AutoCompactor(
                        () -> revisions.committed().revision(),
                        local::leads,
                        revision -> submit(new Compact(revision, false)),
                        runtime,
                        settings.upkeep().autoCompact());
    }

    /**
     * Opens a node that is its cluster's only one.
     *
     * @throws StorageException also if several processes can have the store open
     */
    public static Node open(KvStorage storage, NodeSettings settings, BackendRuntime runtime) {
        if (!storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN)) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    "this storage can be shared: a node on it needs ways to the others");
        }
        return open(storage, settings, NO_PEERS, runtime);
    }

    /**
     * Opens a node and has it take part in its cluster; {@link #elected} tells when that has a
     * leader. Reads what the store says of itself: blocks for the engine.
     *
     * @param peers ways to other nodes; not used where no other process can have the store open
     * @throws StorageException if the store cannot be read or is not Brain's
     */
    public static Node open(
            KvStorage storage, NodeSettings settings, Peers peers, BackendRuntime runtime) {
        KeyCoder coder = new KeyCoder(settings.keyspace());
        StoreState state = StoreState.read(storage, coder);
        Revisions revisions = new Revisions(state.point(), state.compact().floor());
        Node node = new Node(new Store(storage, coder, revisions), settings, peers, runtime);
        node.pending.start();
        node.elector.start();
        node.autoCompactor.start();
        return node;
    }

    /**
     * Ends when a leader is known for the first time, this node or another, which is when it can
     * serve; fails with a {@link StorageException} if an operator must do something first.
     */
    public CompletableFuture<Void> elected() {
        return elector.elected();
    }

    /** See {@link Elector#broken}. */
    public CompletableFuture<StorageException> broken() {
        return elector.broken();
    }

    /** What this node does for others while it leads. */
    public LeaderSide leaderSide() {
        return local;
    }

    /**
     * Hands the leadership to another node, if this one has it, and never takes it again; ends when
     * it is free to be taken. To be called before {@link #close}, and waited for a while.
     */
    public CompletableFuture<Void> handOver() {
        return elector.resign(0, true);
    }

    /** What the node is doing. */
    public NodeStats stats() {
        return NodeStats.of(elector.term(), reads, hub);
    }

    /** What the node can tell those who look on. */
    public Insight insight() {
        return insight;
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
        RunTxn command = new RunTxn(txn, wireBytes);
        if (quota.exceeds(command)) {
            return quota.refuse();
        }
        try {
            checks.check(txn);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        if (txn.isReadOnly()) {
            return reads.txn(txn, wireBytes);
        }
        if (wireBytes + ENVELOPE_BYTES > limits.requestBytesMax() || !keys.admits(txn, wireBytes)) {
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.REQUEST_TOO_LARGE));
        }
        return leader.submit(command);
    }

    @Override
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (command instanceof RunTxn) {
            throw new IllegalArgumentException("a transaction is submitted with txn()");
        }
        return quota.exceeds(command) ? quota.refuse() : leader.submit(command);
    }

    @Override
    public Cluster cluster() {
        return cluster;
    }

    @Override
    public WatchStream watch(WatchSink sink) {
        return hub.open(sink);
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
    public NodeStatus status() {
        return status.now();
    }

    @Override
    public CompletableFuture<Void> checkReadable() {
        return Reply.released(reads.probe());
    }

    @Override
    public void close() {
        autoCompactor.close();
        hub.close(ErrorKind.STOPPED);
        reads.close();
        hasher.close();
        pending.close(new BackendException(ErrorKind.STOPPED));
        elector.close();
    }
}
