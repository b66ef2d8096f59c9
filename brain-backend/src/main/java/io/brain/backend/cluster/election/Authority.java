package io.brain.backend.cluster.election;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChanges;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.auth.TxnPermissions;
import io.brain.backend.cluster.link.LeaderCommand.AuthAnswer;
import io.brain.backend.cluster.link.LeaderCommand.LeaderPoint;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnContext;

/**
 * Users, roles and permissions in a leader's term: changed, and applied to writes, in the order of
 * writes.
 */
final class Authority {
    private final KeyCoder coder;
    private final PublishedAuth published;
    private final AuthState stored;

    /** Including changes that are not durable; sequencer thread only. */
    private AuthState pending;

    /** The authority of a term that begins with the stored state. */
    Authority(AuthState stored, PublishedAuth published, KeyCoder coder) {
        this.stored = stored;
        this.pending = stored;
        this.published = published;
        this.coder = coder;
    }

    /** Publishes the start state. */
    void publish() {
        published.publish(stored);
    }

    /** The durable state. Any thread. */
    AuthState durable() {
        return published.current();
    }

    /** A read point with the durable state. Any thread. */
    LeaderPoint at(ReadPoint point) {
        return new LeaderPoint(point, durable().version());
    }

    /** Makes a change that the caller, an administrator, asks for. */
    Proposal<AuthAnswer> change(Caller caller, AuthChange change) {
        return turn -> {
            pending.requireAdmin(caller);
            AuthState after = replace(AuthChanges.apply(pending, change), turn);
            return Answer.of(new AuthAnswer(turn.headerRevision(), after.version()));
        };
    }

    private AuthState replace(AuthState after, TxnContext turn) {
        AuthState before = pending;
        if (after == before) {
            return after;
        }
        AuthChanges.store(
                before,
                after,
                coder,
                (key, value) -> {
                    if (value.isEmpty()) {
                        turn.deleteRecord(key);
                    } else {
                        turn.putRecord(key, value);
                    }
                });
        pending = after;
        turn.onFailed(() -> pending = before);
        turn.onPublished(() -> published.publish(after));
        return after;
    }

    /** Fails if the caller lacks a permission for a transaction at its place in the order. */
    void check(Caller caller, Txn txn, TxnContext turn) {
        TxnPermissions.check(pending, caller, txn, lease -> checkLease(caller, lease, turn));
    }

    /** Fails if the caller may not write all keys of a lease. */
    void checkLease(Caller caller, long lease, TxnContext turn) {
        pending.requireWriteOfAll(caller, from -> turn.attachedKey(lease, from));
    }
}
