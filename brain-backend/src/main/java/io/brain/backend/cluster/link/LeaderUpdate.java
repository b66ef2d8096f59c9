package io.brain.backend.cluster.link;

import io.brain.backend.auth.AuthState;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import java.util.List;

/**
 * An update of an event stream.
 *
 * @param events in order of revision, up to the status; without those that are no longer in the
 *     leader's memory, which the follower finds in the commit log
 * @param status never older than that of the update before
 */
public record LeaderUpdate(List<RevisionEvents> events, LeaderStatus status) {
    /** Copies the list. */
    public LeaderUpdate {
        events = List.copyOf(events);
    }

    /**
     * The state of the leader.
     *
     * @param point the newest state that may be read
     * @param fence of the last published batch
     * @param floor the compact revision; -1 if nothing was compacted
     * @param renewal the last stored renewal of the leader record
     * @param successor the member that takes over first if the leader becomes silent; 0: none
     * @param auth the state of authentication; null: as in the update before
     */
    public record LeaderStatus(
            ReadPoint point,
            Fence fence,
            long floor,
            RaisedAlarms alarms,
            long renewal,
            long successor,
            AuthState auth) {
        /** A state with the first leader record, and the authentication of the update before. */
        public LeaderStatus(ReadPoint point, Fence fence, long floor, RaisedAlarms alarms) {
            this(point, fence, floor, alarms, 0, 0, null);
        }
    }
}
