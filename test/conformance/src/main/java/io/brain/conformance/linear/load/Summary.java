package io.brain.conformance.linear.load;

import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.Operation.Outcome;
import io.brain.conformance.linear.Violation;
import io.brain.conformance.linear.WatcherRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The figures of one round, or of several together. For one thread. */
final class Summary {

    private static final int VIOLATIONS_SHOWN = 10;

    private final Map<String, Map<Outcome, Integer>> operations = new TreeMap<>();
    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    private final Map<Fault, Double> writeGaps = new EnumMap<>(Fault.class);
    private final List<Violation> violations = new ArrayList<>();
    private int rounds;
    private final Map<Burst, Integer> bursts = new EnumMap<>(Burst.class);
    private long elections;
    private int revived;
    private int twinsEnded;
    private int compactions;
    private int silences;
    private double slowestAlike;
    private double slowestRead;
    private int landed;
    private int watchers;
    private long watched;
    private int resumptions;
    private int relists;
    private int registers;
    private int undecided;
    private long revisions;

    void addOperations(List<Operation> more, long lastRevision) {
        rounds++;
        revisions += lastRevision;
        for (Operation operation : more) {
            operations
                    .computeIfAbsent(operation.kind(), kind -> new EnumMap<>(Outcome.class))
                    .merge(operation.outcome(), 1, Integer::sum);
        }
    }

    void addFaults(List<Nemesis.Injection> injected, Map<Fault, Double> gapMillis) {
        injected.forEach(one -> faults.merge(one.fault(), 1, Integer::sum));
        gapMillis.forEach((fault, millis) -> writeGaps.merge(fault, millis, Math::max));
    }

    void addEnded(int members, int twins, long terms) {
        revived += members;
        twinsEnded += twins;
        elections += terms;
    }

    void addBursts(Map<Burst, Integer> sent, int compacted) {
        compactions += compacted;
        sent.forEach((burst, times) -> bursts.merge(burst, times, Integer::sum));
    }

    void addSilences(int more, double alikeMillis, double readMillis) {
        silences += more;
        slowestAlike = Math.max(slowestAlike, alikeMillis);
        slowestRead = Math.max(slowestRead, readMillis);
    }

    void addWatchers(List<WatcherRecord> records, int resumed, int relisted) {
        watchers += records.size();
        watched += records.stream().mapToLong(WatcherRecord::events).sum();
        resumptions += resumed;
        relists += relisted;
    }

    void addLanded(int more) {
        landed += more;
    }

    void addSearch(int keys, int withoutResult) {
        registers += keys;
        undecided += withoutResult;
    }

    void addViolations(List<Violation> more) {
        violations.addAll(more);
    }

    /** Adds another round's figures. */
    void add(Summary other) {
        rounds += other.rounds;
        revisions += other.revisions;
        other.operations.forEach(
                (kind, ends) ->
                        ends.forEach(
                                (outcome, times) ->
                                        operations
                                                .computeIfAbsent(
                                                        kind, k -> new EnumMap<>(Outcome.class))
                                                .merge(outcome, times, Integer::sum)));
        other.faults.forEach((fault, times) -> faults.merge(fault, times, Integer::sum));
        addFaults(List.of(), other.writeGaps);
        addEnded(other.revived, other.twinsEnded, other.elections);
        addBursts(other.bursts, other.compactions);
        addSilences(other.silences, other.slowestAlike, other.slowestRead);
        watchers += other.watchers;
        watched += other.watched;
        resumptions += other.resumptions;
        relists += other.relists;
        landed += other.landed;
        addSearch(other.registers, other.undecided);
        addViolations(other.violations);
    }

    List<Violation> violations() {
        return violations;
    }

    int answered() {
        return total(Outcome.OK);
    }

    int silences() {
        return silences;
    }

    int injected() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** One line, and a few more if something is wrong. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "rounds %d, operations %d (answered %d, failed %d, unknown %d of which %d"
                            + " had happened), revisions %d, by kind %s, faults %d %s, longest"
                            + " write gaps in ms %s, elections %d, members that ended by themselves"
                            + " %d, twins %d, bursts %s, compactions %d, silences %d (nodes alike"
                            + " after up to %.0f ms, linearizable gets up to %.0f ms), lost"
                            + " acknowledged writes %d, violations %d, watchers %d (%d events, %d"
                            + " resumptions, %d re-lists): gaps %d, duplicates %d, out of order %d,"
                            + " wrong %d; registers searched %d (undecided %d)",
                        rounds,
                        total(Outcome.OK) + total(Outcome.FAILED) + total(Outcome.UNKNOWN),
                        total(Outcome.OK),
                        total(Outcome.FAILED),
                        total(Outcome.UNKNOWN),
                        landed,
                        revisions,
                        kinds(),
                        injected(),
                        faults,
                        gaps(),
                        elections,
                        revived,
                        twinsEnded,
                        bursts,
                        compactions,
                        silences,
                        slowestAlike,
                        slowestRead,
                        count(Violation.Kind.LOST),
                        violations.size(),
                        watchers,
                        watched,
                        resumptions,
                        relists,
                        count(Violation.Kind.WATCH_GAP),
                        count(Violation.Kind.WATCH_DUPLICATE),
                        count(Violation.Kind.WATCH_DISORDER),
                        count(Violation.Kind.WATCH_WRONG),
                        registers,
                        undecided));
        violations.stream()
                .limit(VIOLATIONS_SHOWN)
                .forEach(violation -> text.append("\n  ").append(violation));
        return text.toString();
    }

    private Map<Fault, Long> gaps() {
        Map<Fault, Long> gaps = new EnumMap<>(Fault.class);
        writeGaps.forEach((fault, millis) -> gaps.put(fault, Math.round(millis)));
        return gaps;
    }

    private Map<String, Integer> kinds() {
        Map<String, Integer> kinds = new TreeMap<>();
        operations.forEach(
                (kind, ends) ->
                        kinds.put(kind, ends.values().stream().mapToInt(Integer::intValue).sum()));
        return kinds;
    }

    private int total(Outcome outcome) {
        return operations.values().stream().mapToInt(e -> e.getOrDefault(outcome, 0)).sum();
    }

    private long count(Violation.Kind kind) {
        return violations.stream().filter(violation -> violation.kind() == kind).count();
    }
}
