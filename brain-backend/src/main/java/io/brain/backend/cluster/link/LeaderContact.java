package io.brain.backend.cluster.link;

import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.store.LeaderRecord;

/**
 * The last update of a leader.
 *
 * @param leader names its term
 * @param renewal of the leader record, as the update tells
 * @param renewalNanos when the first update told of that renewal, in the clock's nanoseconds
 * @param nanos when this update arrived
 * @param successor the member that takes over first, as the update tells; 0: none
 */
public record LeaderContact(
        LeaderRecord leader, long renewal, long renewalNanos, long nanos, long successor) {
    /**
     * The contact by an update that arrived now.
     *
     * @param before null: none
     */
    public static LeaderContact of(
            LeaderRecord leader, LeaderStatus status, long now, LeaderContact before) {
        long renewal = status.renewal();
        boolean same =
                before != null && before.renewal == renewal && before.leader.sameTerm(leader);
        long told = same ? before.renewalNanos : now;
        return new LeaderContact(leader, renewal, told, now, status.successor());
    }

    /**
     * Nanoseconds since an update first told of this leader record. Zero if the last one did not,
     * or told of it for longer than {@code most}: a store that does not respond may be the reason.
     */
    public long sinceTold(LeaderRecord record, long most, long now) {
        boolean told = leader.sameTerm(record) && renewal == record.renewal();
        return told && nanos - renewalNanos <= most ? now - renewalNanos : 0;
    }
}
