package io.brain.server.metrics;

import io.brain.admin.console.Distribution;
import io.brain.backend.Backend;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.Cluster;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.server.metrics.RequestTimes.RequestType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Decorates a backend with etcd's metrics. */
public final class MeteredBackend implements Backend, MetricsSource {
    private static final Set<ErrorKind> SERVER_ERRORS =
            EnumSet.of(
                    ErrorKind.NO_LEADER,
                    ErrorKind.LEADER_CHANGED,
                    ErrorKind.LEADER_FAILED,
                    ErrorKind.CONNECTION_LOST,
                    ErrorKind.TIMEOUT,
                    ErrorKind.DEADLINE_EXCEEDED,
                    ErrorKind.STOPPED,
                    ErrorKind.INTERNAL);

    /** Errors that reject a proposal before it is evaluated. */
    private static final Set<ErrorKind> UNEVALUATED =
            EnumSet.of(ErrorKind.TOO_MANY_REQUESTS, ErrorKind.REQUEST_TOO_LARGE);

    private final Backend delegate;
    private final OperationCounts operations = new OperationCounts();
    private final RequestTimes requests;
    private final LongAdder granted = new LongAdder();
    private final LongAdder renewed = new LongAdder();
    private final LongAdder pending = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final Histogram times = Histogram.ofNumbers(1, 24);
    private final Histogram hashes = Histogram.ofSeconds(10_000_000, 15);
    private final Histogram historyHashes = Histogram.ofSeconds(10_000_000, 15);

    /**
     * Decorates {@code delegate}.
     *
     * @param slow limit above which requests count as slow
     */
    public MeteredBackend(Backend delegate, Duration slow) {
        this.delegate = delegate;
        this.requests = new RequestTimes(slow.toNanos());
    }

    @Override
    public CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query, Caller caller) {
        operations.range();
        long since = System.nanoTime();
        return measured(RequestType.RANGE, since, delegate.range(query, caller));
    }

    @Override
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes, Caller caller) {
        pending.increment();
        long since = System.nanoTime();
        CompletableFuture<Reply<OpResult.Txn>> answer =
                measured(typeOf(txn), since, delegate.txn(txn, wireBytes, caller));
        CompletionStage<Reply<OpResult.Txn>> begun = answer;
        begun.whenComplete(
                (reply, failure) -> {
                    pending.decrement();
                    if (failure == null) {
                        operations.txn(txn, reply.answer());
                    } else if (isServerError(failure)) {
                        failed.increment();
                    }
                });
        return answer;
    }

    @Override
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        CompletableFuture<T> answer = delegate.submit(command);
        CompletionStage<T> begun = answer;
        begun.thenAccept(result -> count(command.plain(), result));
        RequestType type = typeOf(command.plain());
        return type == null ? answer : measured(type, System.nanoTime(), answer);
    }

    @Override
    public WatchStream watch(WatchSink sink) {
        return delegate.watch(sink);
    }

    @Override
    public CompletableFuture<KvHash> hashHistory(long revision) {
        return timed(delegate.hashHistory(revision), historyHashes);
    }

    @Override
    public CompletableFuture<StoreHash> hashStore() {
        return timed(delegate.hashStore(), hashes);
    }

    @Override
    public void reclaim() {
        delegate.reclaim();
    }

    @Override
    public AuthState auth() {
        return delegate.auth();
    }

    @Override
    public CompletableFuture<AuthState> newestAuth() {
        return delegate.newestAuth();
    }

    @Override
    public Cluster cluster() {
        return delegate.cluster();
    }

    @Override
    public NodeStatus status() {
        return delegate.status();
    }

    @Override
    public CompletableFuture<Void> checkReadable(boolean serializable) {
        return delegate.checkReadable(serializable);
    }

    @Override
    public void close() {
        delegate.close();
    }

    /** Durations of ranges in nanoseconds. */
    public Distribution readTimes() {
        return requests.ranges();
    }

    @Override
    public void writeTo(MetricsText text) {
        operations.writeTo(text);
        requests.writeTo(text);
        text.counter("etcd_debugging_lease_granted_total", "Granted leases.").value(granted.sum());
        text.counter("etcd_debugging_lease_renewed_total", "Renewed leases.").value(renewed.sum());
        text.gauge("etcd_server_proposals_pending", "Pending transactions.").value(pending.sum());
        text.counter("etcd_server_proposals_failed_total", "Failed transactions.")
                .value(failed.sum());
        text.histogram("etcd_debugging_lease_ttl_total", "TTLs of granted leases.");
        times.writeTo(text);
        text.histogram(
                "etcd_mvcc_hash_duration_seconds", "Durations of hashes of the whole store.");
        hashes.writeTo(text);
        text.histogram(
                "etcd_mvcc_hash_rev_duration_seconds", "Durations of hashes of the history.");
        historyHashes.writeTo(text);
    }

    /** Records the duration of successful calls. */
    private static <T> CompletableFuture<T> timed(CompletableFuture<T> future, Histogram times) {
        long since = System.nanoTime();
        CompletionStage<T> begun = future;
        begun.thenRun(() -> times.record(System.nanoTime() - since));
        return future;
    }

    private void count(LeaderCommand<?> command, Object result) {
        if (command instanceof Compact) {
            operations.range();
        } else if (command instanceof KeepLeaseAlive) {
            renewed.increment();
        } else if (command instanceof GrantLease) {
            granted.increment();
            times.record(((GrantedLease) result).ttl());
        }
    }

    /** True if the server, not the client, caused the failure. */
    private static boolean isServerError(Throwable failure) {
        return !(failure instanceof BackendException refused)
                || SERVER_ERRORS.contains(refused.kind());
    }

    private <T> CompletableFuture<T> measured(
            RequestType type, long since, CompletableFuture<T> future) {
        CompletionStage<T> begun = future;
        begun.whenComplete(
                (done, failure) ->
                        requests.record(type, succeeded(type, failure), System.nanoTime() - since));
        return future;
    }

    /** As in etcd, a proposal succeeds if it is evaluated, even if the result is an error. */
    private static boolean succeeded(RequestType type, Throwable failure) {
        if (failure == null || type == RequestType.RANGE || type == RequestType.READ_ONLY_TXN) {
            return failure == null;
        }
        return !isServerError(failure)
                && !UNEVALUATED.contains(((BackendException) failure).kind());
    }

    /** Null for a command that etcd does not measure. */
    private static RequestType typeOf(LeaderCommand<?> command) {
        if (command instanceof Compact) {
            return RequestType.COMPACTION;
        } else if (command instanceof GrantLease) {
            return RequestType.LEASE_GRANT;
        } else if (command instanceof RevokeLease) {
            return RequestType.LEASE_REVOKE;
        }
        return command.concernsAlarms() ? RequestType.ALARM : null;
    }

    /** A transaction with one unconditional operation counts as that operation. */
    private static RequestType typeOf(Txn txn) {
        if (txn.isReadOnly()) {
            return RequestType.READ_ONLY_TXN;
        }
        boolean plain = txn.compares().isEmpty() && txn.failure().isEmpty();
        if (!plain || txn.success().size() != 1) {
            return RequestType.TXN;
        }
        Op only = txn.success().get(0);
        return only instanceof Op.Put
                ? RequestType.PUT
                : only instanceof Op.Delete ? RequestType.DELETE_RANGE : RequestType.TXN;
    }
}
