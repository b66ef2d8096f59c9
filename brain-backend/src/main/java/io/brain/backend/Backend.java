package io.brain.backend;

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
    /** Reads a range; the reply's reservation must be closed. */
    CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query);

    /**
     * Runs a transaction; a put or delete is one with a single operation. Checks the request first,
     * as etcd does. The reply's reservation must be closed.
     *
     * @param wireBytes bytes of the received request, for the limits on requests in flight
     */
    CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes);

    /**
     * Lets the leader execute a command, on this node or another one. For transactions use {@link
     * #txn}.
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

    Cluster cluster();

    NodeStatus status();

    /** Completes if a linearizable read from the engine succeeds. */
    CompletableFuture<Void> checkReadable();

    /** Ends watch streams and waiting requests with "server stopped", then the term. */
    @Override
    void close();
}
