package io.brain.conformance.overload;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** All rounds' figures as one table: medians, with the least and the most of the rounds. */
final class Table {

    private static final int COLUMNS = 15;

    private final Map<String, List<Figures>> rows = new LinkedHashMap<>();

    void add(String scenario, String server, Figures figures) {
        rows.computeIfAbsent("| " + scenario + " | " + server, row -> new ArrayList<>())
                .add(figures);
    }

    String text() {
        StringBuilder text =
                new StringBuilder(
                        "| overload | server | seconds | peak RSS MiB | put ms | put p99 | put max"
                                + " | get ms | get p99 | get max | keep-alive p99 | keep-alive max"
                                + " | health p99 | health max | not served, all rounds |\n"
                                + "| --- ".repeat(COLUMNS)
                                + "|\n");
        rows.forEach(
                (name, rounds) ->
                        text.append(name)
                                .append(spread(rounds, Figures::seconds))
                                .append(spread(rounds, Figures::peakMib))
                                .append(latencies(rounds, round -> round.healthy().puts()))
                                .append(latencies(rounds, round -> round.healthy().gets()))
                                .append(tails(rounds, round -> round.healthy().keepAlives()))
                                .append(tails(rounds, round -> round.healthy().healths()))
                                .append(" | ")
                                .append(refused(rounds))
                                .append(" |\n"));
        return text.toString();
    }

    private static String latencies(List<Figures> rounds, Latencies of) {
        return spread(rounds, round -> of.in(round).median()) + tails(rounds, of);
    }

    private static String tails(List<Figures> rounds, Latencies of) {
        return spread(rounds, round -> of.in(round).p99())
                + spread(rounds, round -> of.in(round).max());
    }

    private static String spread(List<Figures> rounds, ToDoubleFunction<Figures> figure) {
        List<Double> sorted = rounds.stream().mapToDouble(figure).sorted().boxed().toList();
        return String.format(
                Locale.ROOT,
                " | %s [%s .. %s]",
                number(sorted.get((sorted.size() - 1) / 2)),
                number(sorted.get(0)),
                number(sorted.get(sorted.size() - 1)));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value);
    }

    private static String refused(List<Figures> rounds) {
        Map<String, Integer> all = new TreeMap<>();
        rounds.forEach(
                round -> round.refused().forEach((how, n) -> all.merge(how, n, Integer::sum)));
        return all.isEmpty()
                ? "-"
                : all.entrySet().stream()
                        .map(entry -> entry.getValue() + " × " + entry.getKey())
                        .collect(Collectors.joining("; "));
    }

    private interface Latencies {
        Latency in(Figures round);
    }
}
