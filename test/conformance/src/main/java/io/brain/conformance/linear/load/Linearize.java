package io.brain.conformance.linear.load;

import io.brain.conformance.members.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rounds of load and faults on a cluster of three, each checked. Arguments: {@code --minutes N}
 * (default 3), {@code --seed S}, {@code --target etcd|brain}, {@code --round-seconds N} (default
 * 120), {@code --clients N}, {@code --think-ms N}, {@code --faults A,B|none|all} (names of {@link
 * Fault}), the same with {@code --bursts} ({@link Burst}) and {@code --disturbances} ({@link
 * Disturbance}), {@code --out DIRECTORY}. Ends with 1 if there was a violation.
 */
public final class Linearize {
    private static final Duration ALIKE_MAX = Duration.ofSeconds(1);

    private Linearize() {}

    /** Runs all rounds. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        Target target = Target.valueOf(options.text("--target", "brain").toUpperCase(Locale.ROOT));
        long seed = options.number("--seed", System.nanoTime() % 1_000_000);
        Duration length = Duration.ofSeconds(options.number("--round-seconds", 120));
        Round.Pace pace =
                new Round.Pace(
                        (int) options.number("--clients", 12),
                        (int) options.number("--think-ms", 60));
        Set<Fault> faults = chosen(options, "--faults", Fault.class);
        Set<Burst> bursts = chosen(options, "--bursts", Burst.class);
        Set<Disturbance> disturbances = chosen(options, "--disturbances", Disturbance.class);
        Path out = Files.createDirectories(Path.of(options.text("--out", "target/linear")));
        long end = System.nanoTime() + Duration.ofMinutes(options.number("--minutes", 3)).toNanos();
        Summary all = new Summary();
        for (int round = 0; round == 0 || System.nanoTime() + length.toNanos() <= end; round++) {
            long roundSeed = seed + round;
            Path history =
                    out.resolve(target.name().toLowerCase(Locale.ROOT) + "-" + roundSeed + ".gz");
            Round.Settings settings =
                    new Round.Settings(
                            target,
                            roundSeed,
                            length,
                            pace,
                            faults,
                            bursts,
                            disturbances,
                            ALIKE_MAX,
                            false);
            Path directory = Files.createTempDirectory("linear-");
            Summary summary = new Round(settings).run(directory, history);
            System.out.printf(Locale.ROOT, "round of seed %d: %s%n", roundSeed, summary.text());
            System.out.println("history: " + history);
            all.add(summary);
            if (summary.violations().isEmpty()) {
                delete(directory);
            } else {
                System.out.println("data and logs: " + directory);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "summary: linearizable %s: target %s, seed %d, %s%n",
                all.violations().isEmpty() ? "yes" : "NO",
                target,
                seed,
                all.text());
        System.exit(all.violations().isEmpty() ? 0 : 1);
    }

    private static <E extends Enum<E>> Set<E> chosen(Options options, String name, Class<E> kind) {
        String names = options.text(name, "all");
        if (names.equals("all")) {
            return EnumSet.allOf(kind);
        }
        return Arrays.stream(names.split(",", -1))
                .filter(one -> !one.equals("none"))
                .map(one -> Enum.valueOf(kind, one))
                .collect(Collectors.toSet());
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
