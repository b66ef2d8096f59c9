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
 * What etcd's API needs of a node. Thread-safe; no call blocks. A failed request ends its future
 * with a {@link io.brain.backend.model.BackendException}; futures end on the backend's threads, so
 * work hung on them must be short.
 */
public interface Backend extends AutoCloseable {
    /** Reads; the reply's reservation must be closed. */
    CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query);

    /**
     * Runs a transaction (a put or a delete is one with a single step). Checks the request as etcd
     * does first; the reply's reservation must be closed.
     *
     * @param wireBytes bytes of the request as it came, for the limits on what is in flight
     */
    CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes);

    /**
     * Has the leader execute a command, on this node or another one. A transaction goes through
     * {@link #txn}.
     */
    <T> CompletableFuture<T> submit(LeaderCommand<T> command);

    /** Opens a watch stream. */
    WatchStream watch(WatchSink sink);

    /**
     * The hash that etcd makes of the same history; takes as long as reading all of it.
     *
     * @param revision up to where; 0: up to the newest
     */
    CompletableFuture<KvHash> hashHistory(long revision);

    /** A hash of the store as it is; takes as long as reading all of it. */
    CompletableFuture<StoreHash> hashStore();

    /** Hints to the engine that the room of what was compacted is wanted back; never waits. */
    void reclaim();

    /** The members of the cluster. */
    Cluster cluster();

    /** What the node knows of itself now. */
    NodeStatus status();

    /** Ends normally if a linearizable read, which asks the engine, works now. */
    CompletableFuture<Void> checkReadable();

    /** Stops: ends watch streams and waiting requests with "server stopped"; then the term ends. */
    @Override
    void close();
}
