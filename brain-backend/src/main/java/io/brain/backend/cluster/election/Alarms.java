package io.brain.backend.cluster.election;

import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Alarms: states that make writes end with an error until an operator disarms them. NO_SPACE stops
 * what needs room, CORRUPT every write. Raised and disarmed in the order of writes.
 */
public final class Alarms {
    /** Clients choose the member that an alarm is of: this many are kept. */
    static final int COUNT_MAX = 1000;

    private final KeyCoder coder;

    /** Raised at the tip; sequencer thread only. */
    private RaisedAlarms decided;

    private volatile RaisedAlarms published;

    /** The alarms that the store holds as an epoch begins. */
    public Alarms(AlarmRecord stored, long epoch, KeyCoder coder) {
        this.coder = coder;
        this.decided = new RaisedAlarms(epoch, 0, stored.raised());
        this.published = decided;
    }

    /** The alarms that are raised. Any thread. */
    public RaisedAlarms raised() {
        return published;
    }

    /**
     * A proposal that ends with the alarm's error while one is raised that concerns it.
     *
     * @param needsSpace true if it is also stopped by NO_SPACE
     */
    public <T> Proposal<T> guard(boolean needsSpace, Proposal<T> write) {
        return write.after(turn -> check(needsSpace));
    }

    /** Raises an alarm; answers whether it was not yet. TOO_MANY_REQUESTS if there are too many. */
    public Proposal<Boolean> raise(Alarm alarm) {
        return turn -> {
            boolean fresh = !decided.alarms().contains(alarm);
            if (fresh) {
                if (decided.alarms().size() >= COUNT_MAX) {
                    throw new BackendException(ErrorKind.TOO_MANY_REQUESTS);
                }
                SortedSet<Alarm> more = new TreeSet<>(decided.alarms());
                more.add(alarm);
                decide(more, turn);
            }
            return Answer.of(fresh);
        };
    }

    /** Ends an alarm; answers whether it was raised. */
    public Proposal<Boolean> disarm(Alarm alarm) {
        return turn -> {
            boolean raised = decided.alarms().contains(alarm);
            if (raised) {
                SortedSet<Alarm> fewer = new TreeSet<>(decided.alarms());
                fewer.remove(alarm);
                decide(fewer, turn);
            }
            return Answer.of(raised);
        };
    }

    private void check(boolean needsSpace) {
        if (decided.has(Alarm.CORRUPT)) {
            throw new BackendException(ErrorKind.CORRUPT);
        }
        if (needsSpace && decided.has(Alarm.NO_SPACE)) {
            throw new BackendException(ErrorKind.NO_SPACE);
        }
    }

    private void decide(SortedSet<Alarm> alarms, TxnContext turn) {
        if (alarms.isEmpty()) {
            turn.deleteRecord(coder.alarmKey());
        } else {
            turn.putRecord(coder.alarmKey(), new AlarmRecord(alarms).encode());
        }
        RaisedAlarms before = decided;
        RaisedAlarms after = new RaisedAlarms(before.epoch(), before.change() + 1, alarms);
        decided = after;
        turn.onFailed(() -> decided = before);
        turn.onPublished(() -> published = after);
    }
}
