package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.durability.Violation.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Compares the leases that a server shows with those that its clients were told of. A server that
 * starts gives every lease its whole time again.
 */
final class LeaseCheck {

    /** No lease of this length ends during a test. */
    static final Duration LONG = Duration.ofSeconds(100_000);

    /**
     * A lease that a client asked for.
     *
     * @param sentNanos when it was asked for, by {@link System#nanoTime()}
     * @param acknowledged false when no answer came, or when it may have ended without a trace: the
     *     server may have it or not
     */
    record Granted(long id, Duration ttl, long sentNanos, boolean acknowledged) {

        boolean isLong() {
            return ttl.equals(LONG);
        }

        /**
         * What is known of it after the server stopped: its time may have been over before that.
         */
        Granted afterStop(long launchedNanos, long stoppedNanos) {
            boolean mayBeOver = stoppedNanos - Math.max(sentNanos, launchedNanos) >= ttl.toNanos();
            return mayBeOver ? new Granted(id, ttl, sentNanos, false) : this;
        }
    }

    /**
     * A lease as the server shows it.
     *
     * @param ttlSeconds what is left of its time; 0 or less while it ends
     * @param keys in order
     */
    record Shown(long id, long ttlSeconds, List<String> keys) {}

    private final HistoryCheck check;

    LeaseCheck(HistoryCheck check) {
        this.check = check;
    }

    /**
     * @param granted those to look at
     * @param shown by id
     * @param launchedNanos when this run of the server began, or earlier
     * @param shownNanos when all of the server's answers were there
     */
    void compare(
            Collection<Granted> granted,
            Map<Long, Shown> shown,
            long launchedNanos,
            long shownNanos) {
        for (Granted lease : granted) {
            Shown now = shown.get(lease.id());
            if (now == null) {
                long from = Math.max(lease.sentNanos(), launchedNanos);
                expectOver(lease, shownNanos - from);
            } else {
                compare(lease, now);
            }
        }
    }

    private void expectOver(Granted lease, long livedNanos) {
        boolean over = check.endedLeases().contains(lease.id());
        List<String> keys = check.model().attached(lease.id());
        if (over || livedNanos >= lease.ttl().toNanos()) {
            return;
        }
        if (lease.acknowledged() || !keys.isEmpty()) {
            report(lease + " is not there, its keys are " + keys);
        }
    }

    private void compare(Granted lease, Shown now) {
        if (check.endedLeases().contains(lease.id())) {
            report(now + " lives, its end is in the history");
        } else if (now.ttlSeconds() > lease.ttl().toSeconds()) {
            report(now + " lives longer than " + lease);
        } else if (now.ttlSeconds() > 0) {
            List<String> keys = check.model().attached(lease.id());
            if (!now.keys().equals(keys)) {
                report(now + " has other keys than " + keys);
            }
        } else if (lease.isLong()) {
            report(now + " ends, it is " + lease);
        }
    }

    private void report(String detail) {
        check.report(Kind.LEASE, detail);
    }
}
