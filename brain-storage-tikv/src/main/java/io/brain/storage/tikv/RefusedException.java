package io.brain.storage.tikv;

import io.brain.proto.tikv.Kvrpcpb.KeyError;

/** TiKV rejected a step of a transaction. Definite: the step had no effect. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Reason of a rejection. */
    enum Reason {
        /** The key was committed after the transaction began. */
        CONFLICT,
        /** An active transaction has locked the key. */
        LOCKED,
        /** A reader has read at this commit timestamp or later: a newer one is required. */
        COMMIT_TS_EXPIRED,
        /** The store's disk is full. */
        NO_SPACE,
        /** The lock to commit is missing: rolled back, or never written. */
        OTHER
    }

    private final Reason reason;

    RefusedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static RefusedException of(KeyError error) {
        Reason reason = Reason.OTHER;
        if (error.hasConflict()) {
            reason = Reason.CONFLICT;
        } else if (error.hasLocked()) {
            reason = Reason.LOCKED;
        } else if (error.hasCommitTsExpired()) {
            reason = Reason.COMMIT_TS_EXPIRED;
        }
        return new RefusedException(reason, reason + ": " + error.toString().replace('\n', ' '));
    }

    Reason reason() {
        return reason;
    }
}
