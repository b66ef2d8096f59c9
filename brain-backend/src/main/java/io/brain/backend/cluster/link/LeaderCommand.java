package io.brain.backend.cluster.link;

import io.brain.backend.model.Alarm;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.txn.RequestChecks;
import java.util.List;

/**
 * An operation that only the leader can execute. Immutable. A new one is declared here, executed by
 * {@code LeaderTerm}, and carried by the peer service's messages and their codec.
 *
 * @param <T> its result
 */
public sealed interface LeaderCommand<T> {
    /** The revision of a result that has none. */
    long NO_REVISION = 0;

    /** How it ends without a leader, and whether it can be repeated. */
    default CommandKind kind() {
        return CommandKind.PROPOSAL;
    }

    /** False if it takes as long as it takes once a leader has it. */
    default boolean hasDeadline() {
        return true;
    }

    /** True if its result, or the state after it, says which alarms are raised. */
    default boolean concernsAlarms() {
        return false;
    }

    /** Bytes of the client's request, for the limits on requests in flight. */
    default int wireBytes() {
        return 0;
    }

    /** What it counts against the quota; 0 if it needs no space. */
    default long quotaCost() {
        return 0;
    }

    /** The revision of a result: a node answers its client once it shows that revision. */
    default long revision(T result) {
        return NO_REVISION;
    }

    /**
     * Runs a transaction that passed {@link RequestChecks}; the reply's reservation must be closed.
     */
    record RunTxn(Txn txn, int wireBytes, long quotaCost)
            implements LeaderCommand<Reply<OpResult.Txn>> {
        /** Computes the quota cost. */
        public RunTxn(Txn txn, int wireBytes) {
            this(txn, wireBytes, RequestChecks.quotaCost(txn));
        }

        @Override
        public long revision(Reply<OpResult.Txn> reply) {
            return reply.answer().revision();
        }
    }

    /**
     * Makes everything below a revision unreadable and, in the background, removes it; the result
     * is the newest revision.
     *
     * @param physical end only when it is removed, however long that takes
     */
    record Compact(long revision, boolean physical) implements LeaderCommand<Long> {
        @Override
        public boolean hasDeadline() {
            return !physical;
        }

        @Override
        public long revision(Long newest) {
            return newest;
        }
    }

    /**
     * Grants a lease.
     *
     * @param id 0: the leader chooses
     * @param ttl seconds; raised to the minimum
     */
    record GrantLease(long id, long ttl) implements LeaderCommand<GrantedLease> {
        /** What etcd counts a lease. */
        private static final long COST = 64;

        @Override
        public long quotaCost() {
            return COST;
        }

        @Override
        public long revision(GrantedLease lease) {
            return lease.revision();
        }
    }

    /** Revokes a lease and deletes its keys at one revision; the result is the revision then. */
    record RevokeLease(long id) implements LeaderCommand<Long> {
        @Override
        public long revision(Long newest) {
            return newest;
        }
    }

    /** Renews a lease; the TTL of an unknown one is 0. */
    record KeepLeaseAlive(long id) implements LeaderCommand<GrantedLease> {
        @Override
        public CommandKind kind() {
            return CommandKind.LEASE;
        }

        @Override
        public long revision(GrantedLease lease) {
            return lease.revision();
        }
    }

    /** What is left of a lease; the TTL of an unknown one is -1. */
    record GetLeaseTimes(long id, boolean withKeys) implements LeaderCommand<LeaseTimes> {
        @Override
        public CommandKind kind() {
            return CommandKind.LEASE;
        }

        @Override
        public long revision(LeaseTimes times) {
            return times.revision();
        }
    }

    /** The ids of all leases. */
    record ListLeases() implements LeaderCommand<List<Long>> {
        @Override
        public CommandKind kind() {
            return CommandKind.LEASE;
        }
    }

    /** Raises an alarm, durably; the result is true if it was not raised before. */
    record RaiseAlarm(Alarm alarm) implements LeaderCommand<Boolean> {
        @Override
        public boolean concernsAlarms() {
            return true;
        }
    }

    /** Disarms an alarm, durably; the result is true if it was raised. */
    record DisarmAlarm(Alarm alarm) implements LeaderCommand<Boolean> {
        @Override
        public boolean concernsAlarms() {
            return true;
        }
    }

    /** The alarms that are raised, with every change that any node answered before. */
    record ListAlarms() implements LeaderCommand<RaisedAlarms> {
        @Override
        public boolean concernsAlarms() {
            return true;
        }
    }

    /** A state that holds everything that any node answered before. */
    record GetReadPoint() implements LeaderCommand<ReadPoint> {
        @Override
        public CommandKind kind() {
            return CommandKind.READ;
        }

        @Override
        public long revision(ReadPoint point) {
            return point.revision();
        }
    }
}
