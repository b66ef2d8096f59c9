package io.brain.backend.cluster.link;

import io.brain.backend.store.LeaderRecord;

/**
 * The last update of a leader.
 *
 * @param leader names its term
 * @param renewal of the leader record, as the update tells
 * @param renewalNanos when the first update told of that renewal, in the clock's nanoseconds
 * @param nanos when this update arrived
 */
public record LeaderContact(LeaderRecord leader, long renewal, long renewalNanos, long nanos) {
    /**
     * The contact by an update that arrived now.
     *
     * @param before null: none
     */
    public static LeaderContact of(
            LeaderRecord leader, long renewal, long now, LeaderContact before) {
        boolean same =
                before != null && before.renewal == renewal && before.leader.sameTerm(leader);
        return new LeaderContact(leader, renewal, same ? before.renewalNanos : now, now);
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
