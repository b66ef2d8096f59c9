package io.brain.backend.lead;

import io.brain.backend.key.AlarmRecord;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.write.Answer;
import io.brain.backend.write.Proposal;
import io.brain.backend.write.Turn;
import java.util.EnumSet;
import java.util.Set;

/**
 * Alarms: states that make writes end with an error until an operator disarms them. NO_SPACE stops
 * what needs room, CORRUPT every write. Raised and disarmed in the order of writes.
 */
public final class Alarms {
    private final KeyCoder coder;

    /** Raised at the tip; sequencer thread only. */
    private Set<ErrorKind> decided;

    private volatile Set<ErrorKind> published;

    /** The alarms that the store holds. */
    public Alarms(AlarmRecord stored, KeyCoder coder) {
        this.coder = coder;
        this.decided = stored.raised();
        this.published = stored.raised();
    }

    /** The alarms that are raised. Any thread. */
    public Set<ErrorKind> raised() {
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

    /** Raises an alarm; answers all that are raised then. */
    public Proposal<Set<ErrorKind>> raise(ErrorKind alarm) {
        return turn -> {
            if (!decided.contains(alarm)) {
                EnumSet<ErrorKind> more = EnumSet.of(alarm);
                more.addAll(decided);
                decide(more, turn);
            }
            return Answer.of(decided);
        };
    }

    /** Ends an alarm; answers whether it was raised. */
    public Proposal<Boolean> disarm(ErrorKind alarm) {
        return turn -> {
            boolean raised = decided.contains(alarm);
            if (raised) {
                EnumSet<ErrorKind> fewer = EnumSet.noneOf(ErrorKind.class);
                fewer.addAll(decided);
                fewer.remove(alarm);
                decide(fewer, turn);
            }
            return Answer.of(raised);
        };
    }

    private void check(boolean needsSpace) {
        if (decided.contains(ErrorKind.CORRUPT)) {
            throw new BackendException(ErrorKind.CORRUPT);
        }
        if (needsSpace && decided.contains(ErrorKind.NO_SPACE)) {
            throw new BackendException(ErrorKind.NO_SPACE);
        }
    }

    private void decide(Set<ErrorKind> alarms, Turn turn) {
        AlarmRecord record = new AlarmRecord(alarms);
        if (alarms.isEmpty()) {
            turn.deleteRecord(coder.alarmKey());
        } else {
            turn.putRecord(coder.alarmKey(), record.encode());
        }
        Set<ErrorKind> before = decided;
        decided = record.raised();
        turn.onFailed(() -> decided = before);
        turn.onPublished(() -> published = record.raised());
    }
}
