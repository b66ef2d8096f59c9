package io.brain.conformance.followers;

import io.brain.conformance.linear.load.Options;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Measures followers. Arguments: {@code --bursts N} (default 5), {@code --rounds N} of failover
 * (default 50), {@code --target etcd|brain}. Ends with 1 if a follower was late.
 */
public final class Followers {

    private Followers() {}

    /** Runs all bursts, then all rounds of failover, and prints a line for each. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        Target target = Target.valueOf(options.text("--target", "brain").toUpperCase(Locale.ROOT));
        long bursts = options.number("--bursts", 5);
        long rounds = options.number("--rounds", 50);
        Path directory = Files.createTempDirectory("followers-");
        int late;
        try (Cluster cluster = Cluster.start(target, directory)) {
            Bursts silence = new Bursts(cluster);
            for (int i = 1; i <= bursts; i++) {
                System.out.println("burst " + i + ": " + silence.measure());
            }
            Failovers failover = new Failovers(cluster);
            for (int i = 1; i <= rounds; i++) {
                System.out.println("failover " + i + ": " + failover.measure());
            }
            System.out.println("summary: " + target + ", " + silence.text());
            System.out.println("summary: " + target + ", " + failover.text());
            late = silence.late() + failover.late();
        }
        if (late == 0) {
            delete(directory);
        } else {
            System.out.println("data and logs: " + directory);
        }
        System.exit(late == 0 ? 0 : 1);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
