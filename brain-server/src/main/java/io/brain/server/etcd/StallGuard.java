package io.brain.server.etcd;

import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how long an answer may wait for a client that does not read it, because until then it
 * holds its share of the budget for responses. A client has 30 s, and 5 s if others wait for that
 * share, and besides the time that a slow line takes for the answer's bytes. But where others wait,
 * a connection that takes next to nothing for 2 s is ended, and then others that do so for half a
 * second: there may be many.
 *
 * <p>Thread-safe. Looks at all answers that are on their way a few times a second.
 */
final class StallGuard {
    private static final Logger LOG = LoggerFactory.getLogger(StallGuard.class);

    private static final Duration LOOK = Duration.ofMillis(250);
    private static final int PATIENCE_LOOKS = 30 * 4;
    private static final int PATIENCE_LOOKS_WHEN_WANTED = 5 * 4;
    private static final int SILENT_LOOKS_WHEN_WANTED = 2 * 4;
    private static final int SILENT_LOOKS_WHEN_STERN = 2;

    /** So long after a silent connection was ended others have less time. */
    private static final int STERN_LOOKS = 10 * 4;

    /** A line this slow is still waited for. */
    private static final int SLOW_BYTES_PER_LOOK = 256 << 10;

    /** A connection that took less, since it last took as much, is silent. */
    private static final int SILENT_BYTES = 64 << 10;

    private final Scheduler scheduler;
    private final Set<Answer> answers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();

    /** Looks that are left in which silence is not waited for; belongs to whoever looks. */
    private volatile int stern;

    StallGuard(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * Watches an answer that is about to be sent.
     *
     * @param bytes its length
     * @return to be cancelled when the answer has left
     */
    Scheduler.Timer watch(Connection connection, long bytes, Reservation held) {
        Answer answer = new Answer(connection, bytes / SLOW_BYTES_PER_LOOK, held);
        answers.add(answer);
        lookLater();
        return () -> answers.remove(answer);
    }

    private void lookLater() {
        if (!looking.get() && looking.compareAndSet(false, true)) {
            schedule();
        }
    }

    private void schedule() {
        var unused = scheduler.schedule(LOOK, Runnable::run, this::look);
    }

    private void look() {
        int silentLooksMax = stern > 0 ? SILENT_LOOKS_WHEN_STERN : SILENT_LOOKS_WHEN_WANTED;
        int left = Math.max(0, stern - 1);
        for (Answer answer : answers) {
            if (answer.isSilent(silentLooksMax)) {
                left = STERN_LOOKS;
            }
        }
        stern = left;
        if (!answers.isEmpty()) {
            schedule();
            return;
        }
        looking.set(false);
        if (!answers.isEmpty()) { // came in between
            lookLater();
        }
    }

    /** One answer that is on its way. Its counts belong to whoever looks. */
    private final class Answer {
        private final Connection connection;
        private final long lineLooks;
        private final Reservation held;
        private long looks;
        private long silentLooks;
        private long takenBytes;

        Answer(Connection connection, long lineLooks, Reservation held) {
            this.connection = connection;
            this.lineLooks = lineLooks;
            this.held = held;
            this.takenBytes = connection.takenBytes();
        }

        /** Looks, and drops whoever had its time; true if that was for silence. */
        boolean isSilent(int silentLooksMax) {
            looks++;
            silentLooks++;
            long taken = connection.takenBytes();
            if (taken - takenBytes >= SILENT_BYTES) {
                takenBytes = taken;
                silentLooks = 0;
            }
            boolean wanted = held.isWanted();
            int patience = wanted ? PATIENCE_LOOKS_WHEN_WANTED : PATIENCE_LOOKS;
            boolean silent = wanted && silentLooks >= silentLooksMax;
            boolean late = silent || looks >= patience + lineLooks;
            if (late && answers.remove(this)) { // else it has just left
                LOG.warn("a client does not read its answer: its connection is dropped");
                connection.drop();
            }
            return silent;
        }
    }
}
