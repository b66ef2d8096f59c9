package io.brain.backend.cluster.election;

import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnContext;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The raised alarms, which make writes fail until an operator disarms them: NO_SPACE those that
 * need space, CORRUPT all but changes of alarms, users and roles. Raised and disarmed in the order
 * of writes.
 */
public final class Alarms {
    /** Limit, because clients choose the member of an alarm. */
    static final int COUNT_MAX = 1000;

    private final KeyCoder coder;

    /** Including changes that are not durable; sequencer thread only. */
    private RaisedAlarms pending;

    private volatile RaisedAlarms published;

    /** Creates the alarms of an epoch from the stored ones. */
    public Alarms(AlarmRecord stored, long epoch, KeyCoder coder) {
        this.coder = coder;
        this.pending = new RaisedAlarms(epoch, 0, stored.raised());
        this.published = pending;
    }

    /** The alarms whose changes are durable. Any thread. */
    public RaisedAlarms raised() {
        return published;
    }

    /**
     * A proposal that fails while an alarm for it is raised.
     *
     * @param needsSpace true if NO_SPACE is one for it
     */
    public <T> Proposal<T> guard(boolean needsSpace, Proposal<T> write) {
        return write.after(turn -> check(needsSpace));
    }

    /** Raises an alarm; returns true if it was not raised. TOO_MANY_REQUESTS above the limit. */
    public Proposal<Boolean> raise(Alarm alarm) {
        return turn -> set(alarm, true, turn);
    }

    /** Disarms an alarm; returns true if it was raised. */
    public Proposal<Boolean> disarm(Alarm alarm) {
        return turn -> set(alarm, false, turn);
    }

    /** Fails while an alarm for a write is raised; sequencer thread only. */
    void check(boolean needsSpace) {
        if (pending.has(Alarm.CORRUPT)) {
            throw new BackendException(ErrorKind.CORRUPT);
        }
        if (needsSpace && pending.has(Alarm.NO_SPACE)) {
            throw new BackendException(ErrorKind.NO_SPACE);
        }
    }

    private Answer<Boolean> set(Alarm alarm, boolean raised, TxnContext turn) {
        RaisedAlarms before = pending;
        SortedSet<Alarm> alarms = new TreeSet<>(before.alarms());
        if (!(raised ? alarms.add(alarm) : alarms.remove(alarm))) {
            return Answer.of(false);
        }
        if (raised && alarms.size() > COUNT_MAX) {
            throw new BackendException(ErrorKind.TOO_MANY_REQUESTS);
        }
        if (alarms.isEmpty()) {
            turn.deleteRecord(coder.alarmKey());
        } else {
            turn.putRecord(coder.alarmKey(), new AlarmRecord(alarms).encode());
        }
        RaisedAlarms after = new RaisedAlarms(before.epoch(), before.change() + 1, alarms);
        pending = after;
        turn.onFailed(() -> pending = before);
        turn.onPublished(() -> published = after);
        return Answer.of(true);
    }
}
