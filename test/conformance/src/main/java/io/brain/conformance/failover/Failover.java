package io.brain.conformance.failover;

import io.brain.conformance.linear.load.Options;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures failovers. Arguments: {@code --rounds N} of each kind (default 50), {@code --watchers W}
 * (default 1000), {@code --target etcd|brain}, {@code --kinds SIGTERM,MOVE_LEADER,KILL,SIGSTOP}.
 * Ends with 1 if a watcher had to list again, or was sent something twice, or nothing.
 */
public final class Failover {

    private Failover() {}

    /** Runs all rounds and prints the table. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        Target target = Target.valueOf(options.text("--target", "brain").toUpperCase(Locale.ROOT));
        int rounds = (int) options.number("--rounds", 50);
        int watchers = (int) options.number("--watchers", 1_000);
        Map<Disruption, Series> all = new EnumMap<>(Disruption.class);
        for (String kind :
                options.text("--kinds", "SIGTERM,MOVE_LEADER,KILL,SIGSTOP").split(",", -1)) {
            Disruption disruption = Disruption.valueOf(kind);
            all.put(disruption, new Series(disruption));
        }
        Path directory = Files.createTempDirectory("failover-");
        boolean complete = false;
        try (Cluster cluster = Cluster.start(target, directory);
                Rounds run = new Rounds(cluster, watchers)) {
            for (int round = 1; round <= rounds; round++) {
                for (Series series : all.values()) {
                    run.round(series);
                }
                if (round % 10 == 0) {
                    System.out.println("round " + round + " of " + rounds);
                }
            }
            complete = true;
        } finally {
            print(target, watchers, all);
            System.out.println(complete ? "" : "stopped early; data and logs: " + directory);
        }
        delete(directory);
        boolean good = all.values().stream().allMatch(series -> series.troubles() == 0);
        System.exit(good ? 0 : 1);
    }

    private static void print(Target target, int watchers, Map<Disruption, Series> all) {
        StringBuilder table = new StringBuilder(Series.head());
        all.values().forEach(series -> table.append(series.row()));
        System.out.printf(
                Locale.ROOT, "failover of %s under %d watchers%n%s", target, watchers, table);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
