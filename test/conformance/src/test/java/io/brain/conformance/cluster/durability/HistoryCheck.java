package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.durability.Violation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;

/**
 * Explains a history by the writes that were attempted: revision by revision, each is exactly one
 * write, whole, at the revision it was acknowledged with. Keeps what the store must hold from one
 * call to the next. Not thread-safe.
 */
final class HistoryCheck {

    private final StoreModel model = new StoreModel();
    private final List<Violation> violations = new ArrayList<>();
    private final Set<Long> revoked = new HashSet<>();
    private long checkedRevision;
    private long landedUnknown;

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

    /** Leases whose revoke is part of the history. */
    Set<Long> revoked() {
        return revoked;
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
        Pending pending = new Pending(attempts);
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
        checkedRevision = newestRevision;
    }

    /** Checks that all a watcher saw before the crash is in the history as it saw it. */
    void checkSeen(
            NavigableMap<Long, List<Change>> seen, NavigableMap<Long, List<Change>> history) {
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
            revoked.add(revoke.lease());
        }
        if (attempt.answer().isEmpty()) {
            landedUnknown++;
        } else if (!mayBeAt(revision, attempt)) {
            report(Kind.MOVED, attempt + " is at " + revision);
        }
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

        Pending(List<Attempt> attempts) {
            for (Attempt attempt : attempts) {
                Write write = attempt.write();
                if (write instanceof Write.Put put) {
                    byToken.put(put.token(), attempt);
                } else if (write instanceof Write.PutAll all) {
                    byToken.put(all.token(), attempt);
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
            Optional<Attempt> other =
                    otherDeletes.stream()
                            .filter(a -> model.changesOf(a.write()).equals(events))
                            .findFirst();
            other.ifPresent(otherDeletes::remove);
            return other;
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
