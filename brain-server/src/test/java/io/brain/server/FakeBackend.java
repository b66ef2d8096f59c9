package io.brain.server;

import io.brain.backend.Backend;
import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChanges;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.Cluster;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.AuthAnswer;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.Member;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.watch.WatchRequest;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import java.util.List;
import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A backend with prepared answers; it records requests, and counts unreleased reservations. */
public final class FakeBackend implements Backend {
    public static final long CLUSTER = 11;
    public static final long MEMBER = 22;
    public static final long EPOCH = 3;
    public static final long REVISION = 9;

    public final Queue<RangeQuery> queries = new ConcurrentLinkedQueue<>();
    public final Queue<Caller> callers = new ConcurrentLinkedQueue<>();
    public final Queue<Txn> txns = new ConcurrentLinkedQueue<>();
    public final Queue<FakeWatch> watches = new ConcurrentLinkedQueue<>();
    public final Queue<Long> renewals = new ConcurrentLinkedQueue<>();
    public final AtomicInteger held = new AtomicInteger();
    public final AtomicInteger reclaimed = new AtomicInteger();
    public final SortedSet<Alarm> alarms = new ConcurrentSkipListSet<>();
    public final FakeCluster cluster =
            new FakeCluster(
                    new Member(
                            MEMBER,
                            "m1",
                            List.of("http://10.0.0.1:2380"),
                            List.of("http://10.0.0.1:2379")));
    public volatile AuthState auth = AuthState.INITIAL;
    public volatile Runnable beforeAuth = () -> {};
    public volatile long leader = MEMBER;
    public volatile Supplier<CompletableFuture<Reply<OpResult.Range>>> onRange =
            () -> range(List.of());
    public volatile Supplier<CompletableFuture<Reply<OpResult.Txn>>> onTxn =
            () -> txn(new OpResult.Put(REVISION, null));
    public volatile Supplier<CompletableFuture<GrantedLease>> onKeepAlive =
            () -> CompletableFuture.completedFuture(new GrantedLease(1, 60, REVISION));
    public volatile CompletableFuture<Void> readable = CompletableFuture.completedFuture(null);

    /** The answer to a read. */
    public CompletableFuture<Reply<OpResult.Range>> range(List<io.brain.storage.Bytes> kvs) {
        return CompletableFuture.completedFuture(
                reply(new OpResult.Range(REVISION, kvs, false, kvs.size())));
    }

    /** The answer to a transaction. */
    public CompletableFuture<Reply<OpResult.Txn>> txn(OpResult... results) {
        return CompletableFuture.completedFuture(
                reply(new OpResult.Txn(REVISION, true, List.of(results))));
    }

    /** A failed answer. */
    public static <T> CompletableFuture<T> failed(ErrorKind kind) {
        return CompletableFuture.failedFuture(new BackendException(kind));
    }

    /** An answer with a reservation until it is released. */
    public <T> Reply<T> reply(T answer) {
        held.incrementAndGet();
        AtomicInteger closes = new AtomicInteger();
        return new Reply<>(
                answer,
                () -> {
                    if (closes.getAndIncrement() == 0) {
                        held.decrementAndGet();
                    }
                });
    }

    @Override
    public CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query, Caller caller) {
        queries.add(query);
        callers.add(caller);
        return onRange.get();
    }

    @Override
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes, Caller caller) {
        txns.add(txn);
        callers.add(caller);
        return onTxn.get();
    }

    @Override
    @SuppressWarnings("unchecked") // each command is answered with its own type
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (command.plain() instanceof ChangeAuth change) {
            return (CompletableFuture<T>) change(change.change(), command.caller());
        }
        return (CompletableFuture<T>) answer(command.plain());
    }

    /** Changes users, roles and authentication as a node does. */
    private CompletableFuture<AuthAnswer> change(AuthChange change, Caller caller) {
        try {
            auth.requireAdmin(caller);
            auth = AuthChanges.apply(auth, change);
            return CompletableFuture.completedFuture(new AuthAnswer(REVISION, auth.version()));
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private CompletableFuture<?> answer(LeaderCommand<?> command) {
        if (command instanceof Compact compact) {
            return compact.revision() > REVISION
                    ? failed(ErrorKind.FUTURE_REVISION)
                    : CompletableFuture.completedFuture(REVISION);
        } else if (command instanceof GrantLease grant) {
            return CompletableFuture.completedFuture(
                    new GrantedLease(grant.id(), grant.ttl(), REVISION));
        } else if (command instanceof RevokeLease) {
            return failed(ErrorKind.LEASE_NOT_FOUND);
        } else if (command instanceof KeepLeaseAlive renewal) {
            renewals.add(renewal.id());
            return onKeepAlive.get();
        } else if (command instanceof GetLeaseTimes get) {
            return CompletableFuture.completedFuture(
                    new LeaseTimes(get.id(), -1, 0, List.of(), REVISION));
        } else if (command instanceof ListLeases) {
            return CompletableFuture.completedFuture(List.of(5L, -6L));
        } else if (command instanceof ListAlarms) {
            return CompletableFuture.completedFuture(new RaisedAlarms(EPOCH, 0, alarms));
        } else if (command instanceof RaiseAlarm raise) {
            return CompletableFuture.completedFuture(alarms.add(raise.alarm()));
        } else if (command instanceof DisarmAlarm disarm) {
            return CompletableFuture.completedFuture(alarms.remove(disarm.alarm()));
        }
        throw new IllegalArgumentException("unknown command: " + command);
    }

    @Override
    public AuthState auth() {
        beforeAuth.run();
        return auth;
    }

    @Override
    public CompletableFuture<AuthState> newestAuth() {
        return CompletableFuture.completedFuture(auth);
    }

    @Override
    public WatchStream watch(WatchSink sink) {
        FakeWatch watch = new FakeWatch(sink);
        watches.add(watch);
        return watch;
    }

    @Override
    public Cluster cluster() {
        return cluster;
    }

    @Override
    public CompletableFuture<KvHash> hashHistory(long revision) {
        return revision > REVISION
                ? failed(ErrorKind.FUTURE_REVISION)
                : CompletableFuture.completedFuture(new KvHash(-5, revision, -1, REVISION));
    }

    @Override
    public CompletableFuture<StoreHash> hashStore() {
        return CompletableFuture.completedFuture(new StoreHash(-6, REVISION));
    }

    @Override
    public void reclaim() {
        reclaimed.incrementAndGet();
    }

    @Override
    public NodeStatus status() {
        return new NodeStatus(
                CLUSTER, MEMBER, leader, REVISION, -1, EPOCH, 7, 1000, 3, 0, new TreeSet<>(alarms));
    }

    @Override
    public CompletableFuture<Void> checkReadable(boolean serializable) {
        return serializable ? Reply.released(onRange.get()) : readable;
    }

    @Override
    public void close() {
        // Nothing to close.
    }

    /** A watch stream that records requests. */
    public static final class FakeWatch implements WatchStream {
        public final WatchSink sink;
        public final Queue<Object> asked = new ConcurrentLinkedQueue<>();
        public final CompletableFuture<Void> closed = new CompletableFuture<>();

        FakeWatch(WatchSink sink) {
            this.sink = sink;
        }

        @Override
        public void create(WatchRequest request) {
            asked.add(request);
        }

        @Override
        public void refuse(ErrorKind why) {
            asked.add(why);
        }

        @Override
        public void cancel(long watchId) {
            asked.add(watchId);
        }

        @Override
        public void requestProgress() {
            asked.add("progress");
        }

        @Override
        public void ready() {
            // Tests write at any time.
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }
}
