package io.brain.backend.cluster.link;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChanges;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.txn.RequestChecks;
import java.util.List;

/**
 * An operation that only the leader executes. Immutable. A new one is declared here, executed by
 * {@code LeaderTerm}, and encoded by the server's peer service.
 *
 * @param <T> its result
 */
public sealed interface LeaderCommand<T> {
    /** Errors and repetition, as in etcd. */
    enum CommandKind {
        /** Changes the store, at most once. */
        PROPOSAL(ErrorKind.DEADLINE_EXCEEDED, false),
        /** A repeatable operation on leases. */
        LEASE(ErrorKind.NO_LEADER, true),
        /** A read point, shared by all waiting reads. */
        READ(ErrorKind.TIMEOUT, true);

        private final ErrorKind withoutLeader;
        private final boolean repeatable;

        CommandKind(ErrorKind withoutLeader, boolean repeatable) {
            this.withoutLeader = withoutLeader;
            this.repeatable = repeatable;
        }

        /** The error if no leader is found in time. */
        public ErrorKind withoutLeader() {
            return withoutLeader;
        }

        /** True if it may be executed twice. */
        public boolean isRepeatable() {
            return repeatable;
        }
    }

    default CommandKind kind() {
        if (this instanceof GetReadPoint) {
            return CommandKind.READ;
        }
        boolean lease =
                this instanceof GetAuth
                        || this instanceof KeepLeaseAlive
                        || this instanceof GetLeaseTimes
                        || this instanceof ListLeases;
        return lease ? CommandKind.LEASE : CommandKind.PROPOSAL;
    }

    /** False if its execution has no time limit. */
    default boolean hasDeadline() {
        return true;
    }

    /** True if a wide delete in it is prepared; between steps a leader that resigns refuses it. */
    default boolean hasSteps() {
        return plain() instanceof RunTxn run && run.txn().rangeDeletes() == 1;
    }

    /** True if it reads or changes the alarms. */
    default boolean concernsAlarms() {
        return this instanceof RaiseAlarm
                || this instanceof DisarmAlarm
                || this instanceof ListAlarms;
    }

    /** True if it changes keys, leases, users or roles. */
    default boolean changesData() {
        return this instanceof RunTxn
                || this instanceof GrantLease
                || this instanceof RevokeLease
                || this instanceof KeepLeaseAlive
                || this instanceof ChangeAuth;
    }

    /** Bytes of the client's request, for the limits on requests in flight. */
    default int wireBytes() {
        return 0;
    }

    /** Its bytes for the quota; 0 if it needs no space. */
    default long quotaCost() {
        return 0;
    }

    /** The revision of a result, which a node must show before it answers; 0: any. */
    default long revision(T result) {
        return 0;
    }

    /**
     * The version of the state of authentication that a node must know before it answers; 0: any.
     */
    default long authVersion(T result) {
        return 0;
    }

    /** Who calls. */
    default Caller caller() {
        return Caller.NONE;
    }

    /** The command without its caller. */
    default LeaderCommand<T> plain() {
        return this;
    }

    /** The command of a caller. */
    default LeaderCommand<T> by(Caller caller) {
        return caller.equals(Caller.NONE) ? this : new CalledBy<>(caller, this);
    }

    /** A command of somebody. */
    record CalledBy<T>(Caller caller, LeaderCommand<T> plain) implements LeaderCommand<T> {
        @Override
        public CommandKind kind() {
            return plain.kind();
        }

        @Override
        public boolean hasDeadline() {
            return plain.hasDeadline();
        }

        @Override
        public boolean concernsAlarms() {
            return plain.concernsAlarms();
        }

        @Override
        public int wireBytes() {
            return plain.wireBytes();
        }

        @Override
        public long quotaCost() {
            return plain.quotaCost();
        }

        @Override
        public long revision(T result) {
            return plain.revision(result);
        }

        @Override
        public long authVersion(T result) {
            return plain.authVersion(result);
        }
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
     * Makes everything below a revision unreadable and removes it in the background; returns the
     * newest revision.
     *
     * @param physical complete only after the removal, without a time limit
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
     * @param id 0: chosen by the leader
     * @param ttl seconds; raised to the minimum
     */
    record GrantLease(long id, long ttl) implements LeaderCommand<GrantedLease> {
        /** The size of a lease in etcd. */
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

    /** Revokes a lease and deletes its keys; returns the revision after that. */
    record RevokeLease(long id) implements LeaderCommand<Long> {
        @Override
        public long revision(Long newest) {
            return newest;
        }
    }

    /** Renews a lease; the TTL of an unknown one is 0. */
    record KeepLeaseAlive(long id) implements LeaderCommand<GrantedLease> {
        @Override
        public long revision(GrantedLease lease) {
            return lease.revision();
        }
    }

    /** The TTLs of a lease; that of an unknown one is -1. */
    record GetLeaseTimes(long id, boolean withKeys) implements LeaderCommand<LeaseTimes> {
        @Override
        public long revision(LeaseTimes times) {
            return times.revision();
        }
    }

    /** The ids of all leases. */
    record ListLeases() implements LeaderCommand<List<Long>> {}

    /** Raises an alarm; returns true if it was not raised. */
    record RaiseAlarm(Alarm alarm) implements LeaderCommand<Boolean> {}

    /** Disarms an alarm; returns true if it was raised. */
    record DisarmAlarm(Alarm alarm) implements LeaderCommand<Boolean> {}

    /** The raised alarms, including every change that any node answered before. */
    record ListAlarms() implements LeaderCommand<RaisedAlarms> {}

    /** A state that contains everything that any node answered before. */
    record GetReadPoint() implements LeaderCommand<LeaderPoint> {
        @Override
        public long revision(LeaderPoint point) {
            return point.point().revision();
        }

        @Override
        public long authVersion(LeaderPoint point) {
            return point.authVersion();
        }
    }

    /**
     * A read point of the leader.
     *
     * @param authVersion of the state of authentication, see {@link AuthState#version}
     */
    record LeaderPoint(ReadPoint point, long authVersion) {}

    /** Changes users, roles or authentication; fails as {@link AuthChanges} describes. */
    record ChangeAuth(AuthChange change) implements LeaderCommand<AuthAnswer> {
        @Override
        public long revision(AuthAnswer answer) {
            return answer.revision();
        }

        @Override
        public long authVersion(AuthAnswer answer) {
            return answer.version();
        }
    }

    /**
     * The answer to a change.
     *
     * @param revision of the store
     * @param version of the state of authentication
     */
    record AuthAnswer(long revision, long version) {}

    /** The leader's durable state of authentication. */
    record GetAuth() implements LeaderCommand<AuthState> {}
}
