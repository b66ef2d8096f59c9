package io.brain.backend;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.Cluster;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import java.util.concurrent.CompletableFuture;

/**
 * What etcd's API needs of a node. Thread-safe; no call blocks. A failed request fails its future
 * with a {@link io.brain.backend.model.BackendException}. Futures complete on the backend's
 * threads, so their callbacks must be short.
 */
public interface Backend extends AutoCloseable {
    /** Reads a range that the caller may read; the reply's reservation must be closed. */
    CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query, Caller caller);

    /** A range of nobody. */
    default CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query) {
        return range(query, Caller.NONE);
    }

    /**
     * Runs a transaction; a put or delete is one with a single operation. Checks the request first,
     * as etcd does. The reply's reservation must be closed.
     *
     * @param wireBytes bytes of the received request, for the limits on requests in flight
     */
    CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes, Caller caller);

    /** A transaction of nobody. */
    default CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes) {
        return txn(txn, wireBytes, Caller.NONE);
    }

    /**
     * Lets the leader execute a command, on this node or another one. For transactions use {@link
     * #txn}. Permissions of leases, and the change of users and roles, are checked for its caller;
     * everything else must have been.
     */
    <T> CompletableFuture<T> submit(LeaderCommand<T> command);

    /** Opens a watch stream. */
    WatchStream watch(WatchSink sink);

    /**
     * etcd's hash of the history; reads all of it.
     *
     * @param revision the last revision; 0: the newest
     */
    CompletableFuture<KvHash> hashHistory(long revision);

    /** A hash of all stored data; reads all of it. */
    CompletableFuture<StoreHash> hashStore();

    /** Lets the engine free the space of compacted data; does not wait. */
    void reclaim();

    /** The newest state of authentication that this node knows. */
    AuthState auth();

    /** A state of authentication that contains every change that any node answered before. */
    CompletableFuture<AuthState> newestAuth();

    Cluster cluster();

    NodeStatus status();

    /** Completes if a read from the engine succeeds, a serializable or a linearizable one. */
    CompletableFuture<Void> checkReadable(boolean serializable);

    /** Ends watch streams and waiting requests with "server stopped", then the term. */
    @Override
    void close();
}
