package io.brain.bench;

import io.brain.bench.load.Measurement;
import io.brain.bench.report.Result;
import io.brain.bench.report.Results;
import io.brain.bench.shape.Catalogue;
import io.brain.bench.shape.Shape;
import io.brain.bench.shape.Target;
import io.brain.bench.wire.Loop;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** All rounds: in each, every load is put on every server, in an order that changes. */
final class Run {

    private final Options options;
    private final PrintStream progress;
    private final List<Result> results = new ArrayList<>();
    private int troubles;

    /**
     * A run that has not begun.
     *
     * @param progress is told of each stretch
     */
    Run(Options options, PrintStream progress) {
        this.options = options;
        this.progress = progress;
    }

    /** Runs all; what cannot be measured is told and left out. */
    Results rounds() throws InterruptedException {
        String stamp = Long.toString(System.currentTimeMillis() / 1_000 % 1_000_000_000, 36);
        long end = System.nanoTime() + options.rounds().max().toNanos();
        try (Loop loop = new Loop()) {
            List<Target> targets = new ArrayList<>();
            for (ServerAddress server : options.servers()) {
                targets.add(new Target(server, loop, options.settings(), '-' + stamp));
            }
            for (int round = options.rounds().warmUp() ? 0 : 1;
                    round <= options.rounds().count();
                    round++) {
                round(round, targets, end);
                compact(round, targets);
            }
            targets.forEach(Target::close);
        }
        return new Results(options.servers().stream().map(ServerAddress::name).toList(), results);
    }

    /** How many stretches did not come to an end, or had calls that failed. */
    int troubles() {
        return troubles;
    }

    private void round(int round, List<Target> targets, long end) throws InterruptedException {
        List<Target> order = new ArrayList<>(targets);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        for (Catalogue load : options.loads()) {
            for (Shape shape : load.shapes(options.sizes())) {
                for (Target target : order) {
                    if (System.nanoTime() > end) {
                        progress.println("no time for more");
                        return;
                    }
                    if (round > 0 || shape.warmsUp()) {
                        stretch(round, shape, target);
                    }
                }
            }
        }
    }

    /** Not after the last one. */
    private void compact(int round, List<Target> targets) throws InterruptedException {
        if (!options.rounds().compact() || round == options.rounds().count()) {
            return;
        }
        for (Target target : targets) {
            try {
                target.compact();
            } catch (IOException failed) {
                troubles++;
                progress.println("round " + round + ", compaction: " + failed.getMessage());
            }
        }
    }

    private void stretch(int round, Shape shape, Target target) throws InterruptedException {
        String name = target.server().name();
        String what = "round " + round + ", " + shape.label() + ", " + name + ": ";
        try {
            Measurement figures = shape.measure(target);
            progress.println(what + words(shape, figures));
            if (figures.failures().count() > 0) {
                troubles++;
            }
            if (round > 0) {
                results.add(new Result(round, shape, name, figures));
            }
        } catch (IOException failed) {
            troubles++;
            progress.println(what + failed.getMessage());
        }
    }

    private static String words(Shape shape, Measurement figures) {
        String failures =
                figures.failures().count() == 0
                        ? ""
                        : ", FAILED "
                                + figures.failures().count()
                                + ", first: "
                                + figures.failures().first();
        return String.format(
                Locale.ROOT,
                "%.0f/s, p50 %.2f p99 %.2f ms, CPU %.1f µs/%s, client %.1f%s",
                figures.rate(),
                figures.latency().p50() / 1e3,
                figures.latency().p99() / 1e3,
                figures.serverMicros(),
                shape.unit(),
                figures.clientMicros(),
                failures);
    }
}
