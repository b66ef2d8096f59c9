package io.brain.conformance.linear;

import io.brain.proto.mvcc.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Checks a history by its revisions: the log must be one sequence of the writes that explains every
 * answer and fits real time.
 *
 * <ul>
 *   <li>The log has no gap, and every revision in it is one write: an acknowledged one whose answer
 *       named it, or one of unknown outcome, which happened at most once.
 *   <li>A write's answer and its events are what the model gives on the state before it; any other
 *       answer is what the model gives at the answer's own revision.
 *   <li>Whatever anybody knew before a request was sent, its answer knows, and a write comes after.
 *       This holds for the linearizable ones; a serializable read may be old, but a client never
 *       sees one run of a node go back.
 *   <li>Watchers were sent every event of their range, once and in order, but for those that they
 *       were told are compacted.
 * </ul>
 */
public final class HistoryChecker {

    /** Enough to see what is wrong. */
    private static final int VIOLATIONS_MAX = 200;

    private final History history;
    private final Versions versions;
    private final KnownRevisions known;
    private final Map<Long, Operation> claims = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private Map<Operation, Long> landed = Map.of();

    private HistoryChecker(History history) {
        this.history = history;
        this.versions = new Versions(history.log());
        this.known = new KnownRevisions(history.operations(), history.observations());
    }

    /**
     * What the check found.
     *
     * @param violations at most some hundreds
     * @param landed how many requests of unknown outcome turned out to have happened
     */
    public record Report(List<Violation> violations, int landed) {}

    /** Checks everything. */
    public static Report check(History history) {
        HistoryChecker checker = new HistoryChecker(history);
        checker.checkLog();
        checker.checkAnswers();
        checker.explainTheRest();
        checker.checkRealTime();
        checker.checkSerializable();
        for (WatcherRecord watcher : history.watchers()) {
            watcher.check(history.log(), history.compacted()).forEach(checker::add);
        }
        return new Report(checker.violations, checker.landed.size());
    }

    /** Checks what can be checked of a cluster whose log nobody can read any more. */
    public static Report checkWithoutLog(History history) {
        HistoryChecker checker = new HistoryChecker(history);
        history.operations().stream().filter(Operation::hasWritten).forEach(checker::claim);
        checker.checkRealTime();
        checker.checkSerializable();
        new AcknowledgedPuts(history.operations())
                .check(history.operations())
                .forEach(checker::add);
        return new Report(checker.violations, 0);
    }

    private void checkLog() {
        long expected = EventLog.EMPTY_STORE + 1;
        for (long revision : history.log().all().keySet()) {
            if (revision != expected) {
                report(Violation.Kind.GAP, "after " + (expected - 1) + " comes " + revision);
            }
            expected = revision + 1;
        }
    }

    private void checkAnswers() {
        for (Operation operation : history.operations()) {
            if (!operation.isAnswered()) {
                continue;
            }
            if (operation.hasWritten()) {
                checkWrite(operation);
            } else {
                checkRead(operation);
            }
        }
    }

    /** False if another write has this one's revision. */
    private boolean claim(Operation operation) {
        Operation other = claims.putIfAbsent(operation.revision(), operation);
        if (other != null) {
            report(Violation.Kind.TWICE, other + " AND " + operation);
        }
        return other == null;
    }

    private void checkWrite(Operation operation) {
        if (!claim(operation)) {
            return;
        }
        List<Event> events = history.log().at(operation.revision());
        Evaluator.Result expected =
                Evaluator.evaluate(versions, operation.revision() - 1, operation.request());
        if (!events.equals(expected.events())) {
            String there = events.stream().map(Text::of).toList().toString();
            report(Violation.Kind.LOST, operation + "; the log has " + there);
        } else if (!expected.answer().equals(operation.answer())) {
            report(Violation.Kind.WRONG_ANSWER, wrong(operation, expected));
        }
    }

    private void checkRead(Operation operation) {
        if (operation.revision() > history.log().last()) {
            report(Violation.Kind.LOST, operation + "; the log ends before");
            return;
        }
        Evaluator.Result expected =
                Evaluator.evaluate(versions, operation.revision(), operation.request());
        if (!expected.answer().equals(operation.answer())) {
            report(Violation.Kind.WRONG_ANSWER, wrong(operation, expected));
        }
    }

    private static String wrong(Operation operation, Evaluator.Result expected) {
        return operation + "; expected " + Text.of(expected.answer());
    }

    private void explainTheRest() {
        NavigableSet<Long> unclaimed = new TreeSet<>(history.log().all().keySet());
        unclaimed.removeAll(claims.keySet());
        List<Operation> unknown =
                history.operations().stream()
                        .filter(o -> o.outcome() == Operation.Outcome.UNKNOWN && o.mayWrite())
                        .toList();
        UnknownWrites writes =
                new UnknownWrites(versions, history.log(), unclaimed, unknown, known);
        for (long revision : writes.unexplained()) {
            report(
                    Violation.Kind.UNEXPLAINED,
                    revision + ": " + history.log().at(revision).stream().map(Text::of).toList());
        }
        landed = writes.matched();
    }

    private void checkRealTime() {
        for (Operation operation : history.operations()) {
            if (!operation.isAnswered() || operation.isSerializable()) {
                continue;
            }
            long before = known.at(operation.start());
            boolean fits =
                    operation.hasWritten()
                            ? before < operation.revision()
                            : before <= operation.revision();
            if (!fits) {
                report(
                        Violation.Kind.REAL_TIME,
                        operation + "; before it, " + before + " was known");
            }
        }
    }

    /** One client on one run of a node: its reads, one after the other, never go back. */
    private void checkSerializable() {
        Map<Operation.Place, Operation> newest = new HashMap<>();
        history.operations().stream()
                .filter(Operation::isAnswered)
                .sorted(Comparator.comparingLong(Operation::start))
                .forEach(
                        operation -> {
                            Operation last = newest.put(operation.at(), operation);
                            if (last != null
                                    && operation.isSerializable()
                                    && last.end() < operation.start()
                                    && last.revision() > operation.revision()) {
                                report(Violation.Kind.BACKWARDS, last + " THEN " + operation);
                            }
                        });
    }

    private void report(Violation.Kind kind, String text) {
        add(new Violation(kind, text));
    }

    private void add(Violation violation) {
        if (violations.size() < VIOLATIONS_MAX) {
            violations.add(violation);
        }
    }
}
