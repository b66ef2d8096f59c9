package io.brain.backend.cluster.link;

import io.brain.backend.model.Alarm;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The raised alarms at a leader. Followers receive them in several ways, hence the version.
 *
 * @param epoch of the leader; 0 if unknown
 * @param change number of changes in that epoch
 */
public record RaisedAlarms(long epoch, long change, SortedSet<Alarm> alarms) {
    /** The alarms before the first leader is known. */
    public static final RaisedAlarms UNKNOWN = new RaisedAlarms(0, 0, Collections.emptySortedSet());

    /** Copies the set. */
    public RaisedAlarms {
        alarms = Collections.unmodifiableSortedSet(new TreeSet<>(alarms));
    }

    /** True if an alarm of this kind is raised. */
    public boolean has(int kind) {
        for (Alarm alarm : alarms) {
            if (alarm.kind() == kind) {
                return true;
            }
        }
        return false;
    }

    /** The newer one. */
    public static RaisedAlarms newer(RaisedAlarms one, RaisedAlarms other) {
        if (one.epoch != other.epoch) {
            return one.epoch > other.epoch ? one : other;
        }
        return one.change >= other.change ? one : other;
    }
}
