package io.brain.bench;

import io.brain.bench.load.Measurement;
import io.brain.bench.report.Result;
import io.brain.bench.report.Results;
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
 * All rounds: in each, every load is put on every server. The loads are shuffled in each round, so
 * that none is always measured after the same other one; all servers of a round have one order.
 */
final class Run {

    private final Options options;
    private final PrintStream progress;
    private final List<Shape> shapes;
    private final Random random;
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
        this.shapes =
                options.loads().stream()
                        .flatMap(load -> load.shapes(options.sizes()).stream())
                        .toList();
        this.random = new Random(options.rounds().seed());
    }

    /** Runs all; what cannot be measured is told and left out. */
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

    /** How many stretches did not come to an end, or had calls that failed. */
    int troubles() {
        return troubles;
    }

    /** Its history is compacted, so that the first round does not differ from the others. */
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
                    progress.println("no time for more");
                    return;
                }
                if (round > 0 || shape.warmsUp()) {
                    stretch(round, shape, target);
                }
            }
        }
    }

    /** The next order; the same sequence of orders for the same seed. */
    static List<Shape> shuffled(List<Shape> shapes, Random random) {
        List<Shape> order = new ArrayList<>(shapes);
        Collections.shuffle(order, random);
        return order;
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
