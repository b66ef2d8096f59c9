package io.brain.conformance.fanout;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What all rounds showed, as a table in Markdown. */
final class Table {

    private Table() {}

    /** Medians of the rounds; of what the leader pays also least and most. */
    static String of(List<Forms> rounds) {
        StringBuilder table =
                new StringBuilder(
                        """
                        | nodes that serve watchers | events | leader: CPU us per event | without \
                        the puts | all servers | without the puts | put p50 ms | p99 |
                        | --- | --- | --- | --- | --- | --- | --- | --- |
                        """);
        List<Run> silent = rounds.stream().map(Forms::silent).toList();
        int forms = rounds.isEmpty() ? 0 : rounds.get(0).watched().size();
        table.append(
                String.format(
                        Locale.ROOT,
                        "| none: CPU us per put | 0 | %s | | %.0f | | %s |%n",
                        spread(silent, run -> perPut(run.leaderMicros(), run), 0),
                        median(silent, run -> perPut(run.allMicros(), run)),
                        puts(silent)));
        for (int form = 0; form < forms; form++) {
            table.append(row(rounds, form));
        }
        return table.toString();
    }

    private static String row(List<Forms> rounds, int form) {
        List<Run> gross = rounds.stream().map(round -> round.watched().get(form)).toList();
        List<Run> net =
                rounds.stream()
                        .map(round -> minus(round.watched().get(form), round.silent()))
                        .toList();
        return String.format(
                Locale.ROOT,
                "| %d | %d | %s | %s | %.2f | %.2f | %s |%n",
                form + 1,
                gross.stream().mapToLong(Run::events).sum(),
                spread(gross, run -> perEvent(run.leaderMicros(), run), 2),
                spread(net, run -> perEvent(run.leaderMicros(), run), 2),
                median(gross, run -> perEvent(run.allMicros(), run)),
                median(net, run -> perEvent(run.allMicros(), run)),
                puts(gross));
    }

    /** The run, without what the same puts cost when nobody watches. */
    private static Run minus(Run run, Run silent) {
        return new Run(
                run.nodes(),
                run.events(),
                run.leaderMicros() - silent.leaderMicros(),
                run.allMicros() - silent.allMicros(),
                run.putMillis());
    }

    private static double perEvent(long micros, Run run) {
        return (double) micros / run.events();
    }

    private static double perPut(long micros, Run run) {
        return (double) micros / run.putMillis().size();
    }

    private static String spread(List<Run> runs, ToDoubleFunction<Run> figure, int digits) {
        List<Double> values = sorted(runs, figure);
        String form = "%." + digits + "f";
        return String.format(
                Locale.ROOT,
                form + " [" + form + " .. " + form + "]",
                percentile(values, 50),
                values.get(0),
                values.get(values.size() - 1));
    }

    private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
        return percentile(sorted(runs, figure), 50);
    }

    private static List<Double> sorted(List<Run> runs, ToDoubleFunction<Run> figure) {
        return runs.stream().mapToDouble(figure).sorted().boxed().toList();
    }

    /** Of the puts of all rounds. */
    private static String puts(List<Run> runs) {
        List<Double> millis = new ArrayList<>();
        runs.forEach(run -> millis.addAll(run.putMillis()));
        List<Double> sorted = millis.stream().sorted().toList();
        return String.format(
                Locale.ROOT, "%.1f | %.1f", percentile(sorted, 50), percentile(sorted, 99));
    }

    private static double percentile(List<Double> sorted, int percent) {
        return sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
    }
}
