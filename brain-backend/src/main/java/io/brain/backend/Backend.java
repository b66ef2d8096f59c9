package io.brain.backend;

import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.lease.GrantedLease;
import io.brain.backend.lease.LeaseTimes;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.read.Reply;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.SortedSet;
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
     * Makes everything below {@code revision} unreadable and, in the background, removes it.
     *
     * @param physical end the future only when it is removed
     * @return the newest revision
     */
    CompletableFuture<Long> compact(long revision, boolean physical);

    /**
     * Grants a lease.
     *
     * @param id 0: the server chooses
     * @param ttl seconds; raised to the least one
     */
    CompletableFuture<Granted> grantLease(long id, long ttl);

    /** Revokes a lease and deletes its keys in one revision; returns the revision afterwards. */
    CompletableFuture<Long> revokeLease(long id);

    /** Renews a lease; of an unknown one the answer's TTL is 0. */
    CompletableFuture<Granted> keepLeaseAlive(long id);

    /** What is left of a lease; of an unknown one the answer's TTL is -1. */
    CompletableFuture<LeaseStatus> leaseStatus(long id, boolean withKeys);

    /** The ids of all leases. */
    CompletableFuture<List<Long>> leases();

    /** Opens a watch stream. */
    WatchStream watch(WatchSink sink);

    /** The alarms that are raised, as the leader knows them. */
    CompletableFuture<SortedSet<Alarm>> alarms();

    /** Raises an alarm, durably; ends with true if it was not raised before. */
    CompletableFuture<Boolean> raiseAlarm(Alarm alarm);

    /** Ends an alarm, durably; ends with true if it was raised. */
    CompletableFuture<Boolean> disarmAlarm(Alarm alarm);

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
    Status status();

    /** Ends normally if a linearizable read, which asks the engine, works now. */
    CompletableFuture<Void> checkReadable();

    /** Stops: ends watch streams and waiting requests with "server stopped"; then the term ends. */
    @Override
    void close();

    /**
     * A granted or renewed lease.
     *
     * @param ttl seconds; 0 if there is no such lease
     * @param revision the header's revision
     */
    record Granted(long id, long ttl, long revision) {
        static Granted of(GrantedLease lease) {
            return new Granted(lease.id(), lease.ttl(), lease.revision());
        }
    }

    /**
     * What is left of a lease.
     *
     * @param ttl whole seconds left; -1 if there is no such lease
     * @param grantedTtl seconds; 0 if there is no such lease
     * @param keys attached keys if they were asked for
     * @param revision the header's revision
     */
    record LeaseStatus(long id, long ttl, long grantedTtl, List<Bytes> keys, long revision) {
        static LeaseStatus of(LeaseTimes times) {
            return new LeaseStatus(
                    times.id(), times.remaining(), times.granted(), times.keys(), times.revision());
        }
    }

    /**
     * A node's view of itself and its cluster.
     *
     * @param revision newest committed revision
     * @param compactRevision the compaction floor; -1 if nothing was compacted
     * @param epoch number of the leadership, shown as raft_term
     * @param batch number of the last batch, shown as raft_index
     * @param leaderId member id of the leader; 0 if none is known
     * @param storedBytes encoded bytes of live data and history
     * @param keys keys that exist
     * @param quotaBytes limit on storedBytes; 0 if there is none
     */
    record Status(
            long clusterId,
            long memberId,
            long leaderId,
            long revision,
            long compactRevision,
            long epoch,
            long batch,
            long storedBytes,
            long keys,
            long quotaBytes,
            SortedSet<Alarm> alarms) {}
}
