package io.brain.backend.cluster.link;

import io.brain.backend.model.Alarm;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The alarms that are raised, as a leader knows them. Word of them comes in more than one way, so
 * each says how new it is.
 *
 * @param epoch of the leader; 0 if nothing was heard yet
 * @param change how many times they have changed in that epoch
 */
public record RaisedAlarms(long epoch, long change, SortedSet<Alarm> alarms) {
    /** What is known before a leader said anything. */
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

    /** The newer one of two words. */
    public static RaisedAlarms newer(RaisedAlarms one, RaisedAlarms other) {
        if (one.epoch != other.epoch) {
            return one.epoch > other.epoch ? one : other;
        }
        return one.change >= other.change ? one : other;
    }
}
