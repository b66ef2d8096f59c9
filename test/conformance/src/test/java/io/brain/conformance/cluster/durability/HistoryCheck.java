package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.durability.Violation.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Explains a history by the writes that were attempted: revision by revision, each is exactly one
 * write, whole, at the revision it was acknowledged with. Keeps what the store must hold from one
 * call to the next. Not thread-safe.
 */
final class HistoryCheck {

    private final StoreModel model = new StoreModel();
    private final List<Violation> violations = new ArrayList<>();
    private final Set<Long> endedLeases = new HashSet<>();
    private final Set<Long> expiringLeases = new HashSet<>();
    private long checkedRevision;
    private long landedUnknown;
    private long expired;

    /**
     * @param checkedRevision the revision before the first that is checked
     */
    HistoryCheck(long checkedRevision) {
        this.checkedRevision = checkedRevision;
    }

    /** What the store must hold at {@link #checkedRevision()}. */
    StoreModel model() {
        return model;
    }

    /** Leases whose revoke or expiry is part of the history. */
    Set<Long> endedLeases() {
        return endedLeases;
    }

    /** From now on a deletion of all of this lease's keys needs no writer. */
    void mayExpire(long lease) {
        expiringLeases.add(lease);
    }

    /** How many leases were seen to expire with their keys. */
    long expired() {
        return expired;
    }

    long checkedRevision() {
        return checkedRevision;
    }

    /** How many writes without an answer turned out to have happened. */
    long landedUnknown() {
        return landedUnknown;
    }

    List<Violation> violations() {
        return violations;
    }

    /**
     * Checks the revisions after the last one checked, up to the newest.
     *
     * @param attempts all that was sent since the last call
     * @param history the events of every revision
     * @param newestRevision what the store says its newest revision is
     */
    void check(
            List<Attempt> attempts, NavigableMap<Long, List<Change>> history, long newestRevision) {
        Pending pending = new Pending(attempts, expiringLeases);
        if (newestRevision < checkedRevision) {
            report(
                    Kind.GAP,
                    "the revision went back from " + checkedRevision + " to " + newestRevision);
        }
        for (long revision = checkedRevision + 1; revision <= newestRevision; revision++) {
            List<Change> events = history.get(revision);
            if (events == null) {
                report(Kind.GAP, "revision " + revision + " has no event");
            } else {
                explain(revision, events, pending);
                model.apply(revision, events);
            }
        }
        if (!history.isEmpty() && history.lastKey() > newestRevision) {
            report(Kind.GAP, "an event at " + history.lastKey() + " after " + newestRevision);
        }
        for (Attempt attempt : pending.unexplained()) {
            report(Kind.LOST, attempt + " is not in the history up to " + newestRevision);
        }
        for (Attempt attempt : attempts) {
            if (!attempt.isAcknowledgedChange() && observed(attempt) > newestRevision) {
                report(Kind.GAP, attempt + " was told of a revision after " + newestRevision);
            }
        }
        checkedRevision = newestRevision;
    }

    /**
     * Checks that all a watcher saw before the crash is in the history as it saw it.
     *
     * @param seen what a watcher of every key saw, without a gap from its first revision on
     */
    void checkSeen(
            NavigableMap<Long, List<Change>> seen, NavigableMap<Long, List<Change>> history) {
        if (!seen.isEmpty() && seen.lastKey() - seen.firstKey() >= seen.size()) {
            report(Kind.GAP, "a watcher saw only some of the revisions to " + seen.lastKey());
        }
        seen.forEach(
                (revision, events) -> {
                    if (!events.equals(history.get(revision))) {
                        String now = " was seen at " + revision + ", now " + history.get(revision);
                        report(Kind.FORGOTTEN, events + now);
                    }
                });
    }

    void report(Kind kind, String detail) {
        violations.add(new Violation(kind, detail));
    }

    private void explain(long revision, List<Change> events, Pending pending) {
        Optional<Attempt> found = pending.take(revision, events, model);
        if (found.isEmpty()) {
            report(Kind.UNEXPLAINED, "nobody wrote " + events + " of revision " + revision);
            return;
        }
        Attempt attempt = found.get();
        List<Change> whole = model.changesOf(attempt.write());
        if (whole.isEmpty()) {
            report(Kind.UNEXPLAINED, attempt + " was forbidden at " + revision);
        } else if (!events.equals(whole)) {
            report(Kind.TORN, attempt + " left " + events + " at " + revision);
        }
        if (attempt.write() instanceof Write.Revoke revoke) {
            endedLeases.add(revoke.lease());
        }
        if (attempt.write() instanceof Write.Expire expire) {
            endedLeases.add(expire.lease());
            expired++;
        } else if (attempt.answer().isEmpty()) {
            landedUnknown++;
        } else if (!mayBeAt(revision, attempt)) {
            report(Kind.MOVED, attempt + " is at " + revision);
        }
    }

    private static long observed(Attempt attempt) {
        return attempt.answer().map(answer -> answer.revision()).orElse(0L);
    }

    private static boolean mayBeAt(long revision, Attempt attempt) {
        Attempt.Answer answer = attempt.answer().orElseThrow();
        return attempt.write() instanceof Write.Revoke
                ? revision <= answer.revision()
                : answer.changed() && revision == answer.revision();
    }

    /** The attempts that no revision has been explained by yet. */
    private static final class Pending {
        private final Map<String, Attempt> byToken = new HashMap<>();
        private final Map<Long, Attempt> deletesByRevision = new HashMap<>();
        private final List<Attempt> otherDeletes = new ArrayList<>();
        private final Set<Long> expiring;

        Pending(List<Attempt> attempts, Set<Long> expiring) {
            this.expiring = expiring;
            for (Attempt attempt : attempts) {
                Write write = attempt.write();
                if (write instanceof Write.Put put) {
                    byToken.put(put.token(), attempt);
                } else if (write instanceof Write.PutAll all) {
                    byToken.put(all.token(), attempt);
                } else if (write instanceof Write.Move move) {
                    byToken.put(move.token(), attempt);
                } else if (write instanceof Write.Swap swap) {
                    byToken.put(swap.token(), attempt);
                } else if (write instanceof Write.Delete && attempt.isAcknowledgedChange()) {
                    deletesByRevision.put(attempt.answer().orElseThrow().revision(), attempt);
                } else if (attempt.answer().isEmpty() || attempt.isAcknowledgedChange()) {
                    otherDeletes.add(attempt);
                }
            }
        }

        /** Takes out the attempt that these events come from. */
        Optional<Attempt> take(long revision, List<Change> events, StoreModel model) {
            Optional<String> token = events.stream().flatMap(e -> e.token().stream()).findFirst();
            if (token.isPresent()) {
                return Optional.ofNullable(byToken.remove(token.get()));
            }
            Attempt acknowledged = deletesByRevision.remove(revision);
            if (acknowledged != null) {
                return Optional.of(acknowledged);
            }
            long lease = model.lease(events.get(0).key());
            if (expiring.remove(lease)) {
                return Optional.of(Attempt.unknown(new Write.Expire(lease)));
            }
            return takeFirst(otherDeletes, a -> model.changesOf(a.write()).equals(events))
                    .or(() -> takeFirst(otherDeletes, a -> isPart(events, a, model)))
                    .or(() -> takeFirst(byToken.values(), a -> isPart(events, a, model)));
        }

        /** Deletes that are only a part of an attempt are torn out of it. */
        private static boolean isPart(List<Change> events, Attempt attempt, StoreModel model) {
            return model.changesOf(attempt.write()).containsAll(events);
        }

        private static Optional<Attempt> takeFirst(
                Collection<Attempt> attempts, Predicate<Attempt> matching) {
            Optional<Attempt> first = attempts.stream().filter(matching).findFirst();
            first.ifPresent(attempts::remove);
            return first;
        }

        /** The acknowledged changes among them. */
        List<Attempt> unexplained() {
            List<Attempt> all = new ArrayList<>(byToken.values());
            all.addAll(deletesByRevision.values());
            all.addAll(otherDeletes);
            return all.stream().filter(Attempt::isAcknowledgedChange).toList();
        }
    }
}
