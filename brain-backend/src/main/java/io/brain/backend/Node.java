package io.brain.backend;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.cache.EventRing;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.cluster.Cluster;
import io.brain.backend.cluster.LeaderRouter;
import io.brain.backend.cluster.LocalLeader;
import io.brain.backend.cluster.NodeReadPoints;
import io.brain.backend.cluster.PendingRequests;
import io.brain.backend.cluster.Quota;
import io.brain.backend.cluster.StoredCluster;
import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.cluster.election.Standby;
import io.brain.backend.cluster.election.StoreState;
import io.brain.backend.cluster.election.StoredAuth;
import io.brain.backend.cluster.election.TermContext;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.LeaderEndpoint;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.cluster.link.RaisedAlarms;
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
import io.brain.backend.read.FairReaders;
import io.brain.backend.read.PinnedReads;
import io.brain.backend.read.RangeReader;
import io.brain.backend.read.Reads;
import io.brain.backend.read.TxnReader;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Pins;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.traffic.WriteTraffic;
import io.brain.backend.txn.RequestChecks;
import io.brain.backend.watch.WatchHub;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import java.util.concurrent.CompletableFuture;

/**
 * One node on one storage: wires the components of the backend. The caller closes the storage and
 * the runtime, after the node.
 */
public final class Node implements Backend {
    /** Size of the envelope that etcd adds to a request before it checks the size. */
    private static final int ENVELOPE_BYTES = 18;

    /** Before the node has joined. */
    private static final IdentityRecord NO_IDENTITY = new IdentityRecord(0, 0);

    private static final Peers NO_PEERS =
            (memberId, urls) -> {
                throw new IllegalStateException("no peers on exclusive storage");
            };

    private final NodeSettings.Limits limits;
    private final RequestChecks checks;
    private final Revisions revisions;
    private final KvStorage storage;
    private final PublishedAuth auth;
    private final NodeReadPoints readPoints;
    private final Reads reads;
    private final PermittedReads permitted;
    private final WatchHub hub;
    private final Elector elector;
    private final PendingRequests pending;
    private final LocalLeader local;
    private final LeaderRouter leader;
    private final Quota quota;
    private final Cluster cluster;
    private final Hasher hasher;
    private final AutoCompactor autoCompactor;
    private final Summaries summaries;

    private Node(
            Store store,
            AuthState stored,
            NodeSettings settings,
            Peers peers,
            BackendRuntime runtime) {
        auth = new PublishedAuth(stored);
        limits = settings.limits();
        revisions = store.revisions();
        storage = store.storage();
        checks = new RequestChecks(limits.txnOpsMax(), store.coder(), storage);
        long now = revisions.committed().revision();
        HeadCache cache = new HeadCache(settings.read().cacheBytesMax(), now);
        RangeReader reader = new RangeReader(store, cache);
        BudgetTiers responseBudget = BudgetTiers.of(settings.read());
        FairReaders readers = new FairReaders(runtime.readers(), runtime.clock());
        PinnedReads pinnedReads = new PinnedReads(revisions, readers, responseBudget);
        EventRing ring = new EventRing(settings.watch().ringBytesMax(), now);
        hub = new WatchHub(runtime, store, ring, settings.watch());
        WriteTraffic traffic = new WriteTraffic(runtime.clock());
        elector =
                new Elector(
                        new TermContext(
                                store,
                                auth,
                                ring.and(cache).and(traffic),
                                readers,
                                new TxnReader(reader, pinnedReads),
                                new Pins(),
                                runtime,
                                settings.term()),
                        ring,
                        peers,
                        settings.election());
        var ttlRules = settings.term().write().ttlRules();
        summaries = new Summaries(hub, elector, traffic, store, ttlRules, runtime);
        pending = new PendingRequests(runtime, limits.requestTimeout());
        local = new LocalLeader(elector);
        long waitingBytesMax = settings.term().write().requestBytesMax();
        leader = new LeaderRouter(elector, local, revisions, pending, runtime, waitingBytesMax);
        quota = new Quota(limits.quotaBytes(), elector, leader);
        readPoints = new NodeReadPoints(leader, local, revisions, pending);
        reads = new Reads(reader, readPoints, readers, responseBudget, settings.read());
        permitted = new PermittedReads(reads, auth);
        cluster = new StoredCluster(store, elector, pending, runtime, readers, peers);
        hasher = new Hasher(store, runtime.background(), settings.hash());
        autoCompactor =
                new AutoCompactor(
                        () -> revisions.committed().revision(),
                        () -> local.leads() && !isStandby(),
                        revision -> submit(new Compact(revision, false)),
                        runtime,
                        settings.autoCompact());
    }

    /**
     * Opens a node without peers.
     *
     * @throws StorageException also if the storage is not exclusive
     */
    public static Node open(KvStorage storage, NodeSettings settings, BackendRuntime runtime) {
        if (!storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN)) {
            throw new StorageException(
                    StorageException.Kind.REFUSED, "shared storage: the node needs peers");
        }
        return open(storage, settings, NO_PEERS, runtime);
    }

    /**
     * Opens a node, which joins its cluster; see {@link #elected}. Reads small records: blocks.
     *
     * @param peers not used on exclusive storage
     * @throws StorageException if the storage cannot be read or has other data
     */
    public static Node open(
            KvStorage storage, NodeSettings settings, Peers peers, BackendRuntime runtime) {
        KeyCoder coder = new KeyCoder(settings.keyspace());
        StoreState state = StoreState.read(storage, coder);
        Revisions revisions = new Revisions(state.point(), state.compact().floor());
        Store store = new Store(storage, coder, revisions);
        // Also before the first leader is known, calls are checked by what is stored.
        AuthState auth = StoredAuth.read(store, AuthState.INITIAL);
        Node node = new Node(store, auth, settings, peers, runtime);
        node.pending.start();
        node.elector.start();
        node.autoCompactor.start();
        return node;
    }

    /**
     * Completes when a leader is known for the first time and the node can serve; fails with a
     * {@link StorageException} that needs an operator.
     */
    public CompletableFuture<Void> elected() {
        return elector.elected();
    }

    /** See {@link Elector#broken}. */
    public CompletableFuture<StorageException> broken() {
        return elector.broken();
    }

    /** What this node does for other nodes while it leads. */
    public LeaderEndpoint leaderEndpoint() {
        return local;
    }

    /**
     * Resigns if this node leads, and never leads again; completes when another node can lead. To
     * be called some time before {@link #close}.
     */
    public CompletableFuture<Void> resign() {
        return elector.resign(0, true);
    }

    /** The store as a standby of another cluster; null while this node does not lead. */
    public Standby standby() {
        LeaderTerm term = elector.term();
        return term == null ? null : term.standby();
    }

    /** A standby is compacted where its source is. */
    private boolean isStandby() {
        Standby term = standby();
        return term != null && term.isActive();
    }

    public NodeStats stats() {
        LeaderTerm term = elector.term();
        return new NodeStats(
                term == null ? WriteStats.NONE : term.writeStats(),
                reads.stats(),
                hub.stats(),
                term == null ? CompactStats.NONE : term.compactStats(),
                term == null ? 0 : term.leaseCount());
    }

    public Summaries summaries() {
        return summaries;
    }

    @Override
    public CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query, Caller caller) {
        try {
            RequestChecks.check(query);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return permitted.range(query, caller);
    }

    @Override
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes, Caller caller) {
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
            return permitted.txn(txn, wireBytes, caller);
        }
        if (wireBytes + ENVELOPE_BYTES > limits.requestBytesMax() || !checks.fits(txn, wireBytes)) {
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.REQUEST_TOO_LARGE));
        }
        return leader.submit(command.by(caller));
    }

    @Override
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (command.plain() instanceof RunTxn) {
            throw new IllegalArgumentException("a transaction is submitted with txn()");
        }
        return quota.exceeds(command) ? quota.refuse() : leader.submit(command);
    }

    @Override
    public AuthState auth() {
        return auth.current();
    }

    @Override
    public CompletableFuture<AuthState> newestAuth() {
        return readPoints.linearizable().thenApply(point -> auth.current()).toCompletableFuture();
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
        LeaderTerm term = elector.term();
        IdentityRecord joined = elector.identity();
        IdentityRecord identity = joined == null ? NO_IDENTITY : joined;
        RaisedAlarms alarms = term != null ? term.alarms() : elector.follower().alarms();
        Fence fence = elector.newestFence();
        return new NodeStatus(
                identity.clusterId(),
                identity.memberId(),
                local.leads() ? identity.memberId() : elector.follower().leaderId(),
                revisions.committed().revision(),
                revisions.floor(),
                fence.epoch(),
                fence.batch(),
                fence.bytes(),
                fence.keys(),
                limits.quotaBytes(),
                alarms.alarms());
    }

    @Override
    public CompletableFuture<Void> checkReadable(boolean serializable) {
        return Reply.released(reads.probe(serializable));
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
