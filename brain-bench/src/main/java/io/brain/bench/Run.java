package io.brain.bench;

import io.brain.bench.load.Measurement;
import io.brain.bench.report.Results;
import io.brain.bench.report.Results.Result;
import io.brain.bench.shape.MixedWarmUp;
import io.brain.bench.shape.Shape;
import io.brain.bench.shape.Target;
import io.brain.bench.wire.Loop;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Runs all rounds. Each round runs every load on every server. The order of loads is shuffled in
 * each round, and is the same for all servers.
 */
final class Run {

    private final Options options;
    private final PrintStream progress;
    private final List<Shape> shapes;
    private final Random random;
    private final List<Result> results = new ArrayList<>();
    private int failures;

    /**
     * Creates a run.
     *
     * @param progress receives a line per stretch
     */
    Run(Options options, PrintStream progress) {
        this.options = options;
        this.progress = progress;
        this.shapes =
                options.loads().stream()
                        .flatMap(load -> load.shapes(options.sizes()).stream())
                        .toList();
        this.random = new Random(options.rounds().seed());
    }

    /** Runs all rounds. Failed stretches are reported and skipped. */
    Results rounds() throws InterruptedException {
        String stamp = Long.toString(System.currentTimeMillis() / 1_000 % 1_000_000_000, 36);
        long end = System.nanoTime() + options.rounds().max().toNanos();
        progress.println("order of loads: --seed " + options.rounds().seed());
        try (Loop loop = new Loop()) {
            List<Target> targets = new ArrayList<>();
            for (ServerAddress server : options.servers()) {
                targets.add(new Target(server, loop, options.settings(), '-' + stamp));
            }
            warmUp(targets);
            for (int round = options.rounds().warmUp() ? 0 : 1;
                    round <= options.rounds().count();
                    round++) {
                round(round, targets, end);
                compact(round, targets);
            }
            targets.forEach(Target::close);
        }
        return new Results(
                options.servers().stream().map(ServerAddress::name).toList(), shapes, results);
    }

    /** Number of stretches that failed or had failed calls. */
    int failures() {
        return failures;
    }

    /** Runs the mixed warm-up, and compacts its history. */
    private void warmUp(List<Target> targets) throws InterruptedException {
        Duration length = options.rounds().mixedWarmUp();
        if (length.isZero()) {
            return;
        }
        for (Target target : targets) {
            stretch(0, new MixedWarmUp(length), target);
        }
        compact(0, targets);
    }

    private void round(int round, List<Target> targets, long end) throws InterruptedException {
        List<Target> order = new ArrayList<>(targets);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        for (Shape shape : shuffled(shapes, random)) {
            for (Target target : order) {
                if (System.nanoTime() > end) {
                    progress.println("time limit reached");
                    return;
                }
                if (round > 0 || shape.warmsUp()) {
                    stretch(round, shape, target);
                }
            }
        }
    }

    /** A shuffled copy. */
    static List<Shape> shuffled(List<Shape> shapes, Random random) {
        List<Shape> order = new ArrayList<>(shapes);
        Collections.shuffle(order, random);
        return order;
    }

    /** Compacts all servers, except after the last round. */
    private void compact(int round, List<Target> targets) throws InterruptedException {
        if (!options.rounds().compact() || round == options.rounds().count()) {
            return;
        }
        for (Target target : targets) {
            try {
                target.compact();
            } catch (IOException failed) {
                failures++;
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
                failures++;
            }
            if (round > 0) {
                results.add(new Result(round, shape, name, figures));
            }
        } catch (IOException failed) {
            failures++;
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
