package io.brain.backend.cluster.link;

import io.brain.backend.model.ErrorKind;

/**
 * How a command ends, as in etcd, if no leader is found in time, and whether one that a leader may
 * have executed is sent again.
 */
public enum CommandKind {
    /** Changes the store: at most once. */
    PROPOSAL(ErrorKind.DEADLINE_EXCEEDED, false),
    /** Is about leases, and can be repeated. */
    LEASE(ErrorKind.NO_LEADER, true),
    /** Asks what may be read, for all readers that wait. */
    READ(ErrorKind.TIMEOUT, true);

    private final ErrorKind withoutLeader;
    private final boolean repeatable;

    CommandKind(ErrorKind withoutLeader, boolean repeatable) {
        this.withoutLeader = withoutLeader;
        this.repeatable = repeatable;
    }

    /** How it ends if it reached no leader in time. */
    public ErrorKind withoutLeader() {
        return withoutLeader;
    }

    /** True if it does no harm to execute it twice. */
    public boolean isRepeatable() {
        return repeatable;
    }
}
