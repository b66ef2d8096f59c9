package io.brain.backend.peer;

import io.brain.backend.lease.GrantedLease;
import io.brain.backend.lease.LeaseTimes;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Txn;
import io.brain.backend.read.Reply;
import io.brain.backend.revision.ReadPoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What only the leader can do. Thread-safe; no call blocks. A failed call ends its future with a
 * {@link io.brain.backend.model.BackendException}: NOT_LEADER if the node asked does not lead and
 * did nothing, LEADER_CHANGED if it may have done it or not. Cancelling a future tells the leader
 * that nobody waits any more.
 */
public interface LeaderCalls {
    /**
     * Runs a transaction that the request's checks let pass; the reply's reservation must be
     * closed.
     *
     * @param wireBytes bytes of the request as it came
     */
    CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes);

    /**
     * Raises the compaction floor; ends with the newest revision.
     *
     * @param physical end the future only when what is below is removed
     */
    CompletableFuture<Long> compact(long revision, boolean physical);

    /**
     * Grants a lease.
     *
     * @param id 0: the leader chooses
     * @param ttl seconds; raised to the least one
     */
    CompletableFuture<GrantedLease> grantLease(long id, long ttl);

    /** Revokes a lease and deletes its keys in one revision; ends with the revision afterwards. */
    CompletableFuture<Long> revokeLease(long id);

    /** Renews a lease; of an unknown one the answer's TTL is 0. */
    CompletableFuture<GrantedLease> keepLeaseAlive(long id);

    /** What is left of a lease; of an unknown one the answer's TTL is -1. */
    CompletableFuture<LeaseTimes> leaseTimes(long id, boolean withKeys);

    /** The ids of all leases. */
    CompletableFuture<List<Long>> leases();

    /** Raises an alarm, durably; ends with true if it was not raised before. */
    CompletableFuture<Boolean> raise(Alarm alarm);

    /** Ends an alarm, durably; ends with true if it was raised. */
    CompletableFuture<Boolean> disarm(Alarm alarm);

    /** The alarms that are raised, with every change that any node answered before the call. */
    CompletableFuture<RaisedAlarms> alarms();

    /** A state that holds everything that any node answered before the call. */
    CompletableFuture<ReadPoint> readPoint();
}
