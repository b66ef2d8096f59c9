package io.brain.backend;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;

/**
 * What kind of call to the leader it is: how it ends, as in etcd, if no leader is found in time,
 * and whether one that a leader may have executed is asked again.
 */
enum CallKind implements PendingRequests.Ends {
    /** Changes something: at most once. */
    PROPOSAL(ErrorKind.DEADLINE_EXCEEDED, false),
    /** Is about leases, and can be repeated. */
    LEASE(ErrorKind.NO_LEADER, true),
    /** Asks what may be read. */
    READ(ErrorKind.TIMEOUT, true);

    private final ErrorKind withoutLeader;
    private final boolean repeatable;

    CallKind(ErrorKind withoutLeader, boolean repeatable) {
        this.withoutLeader = withoutLeader;
        this.repeatable = repeatable;
    }

    /** How it ends if it reached no leader in time. */
    ErrorKind withoutLeader() {
        return withoutLeader;
    }

    /** True if it does no harm to execute it twice. */
    boolean isRepeatable() {
        return repeatable;
    }

    /** How it ends if this node led, and did not answer in time. */
    @Override
    public ErrorKind late() {
        return ErrorKind.TIMEOUT;
    }

    /** How it ends if this node led when it was asked. */
    @Override
    public BackendException failed(Throwable failure) {
        return !repeatable && Failures.isOf(ErrorKind.LEADER_CHANGED, failure)
                ? new BackendException(ErrorKind.LEADER_FAILED)
                : Failures.of(failure);
    }
}
