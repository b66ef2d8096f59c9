package io.brain.conformance.fanout;

import io.brain.conformance.linear.load.Options;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures what a watch event costs, with all watchers on the leader, on two nodes, and on all
 * three. Arguments: {@code --watchers W} (default 600), {@code --puts N} in each run (default
 * 3000), {@code --rate PUTS_PER_SECOND} (default 150), {@code --rounds N} (default 3), {@code
 * --target etcd|brain}. Every round has a run of each form, and one without watchers; a round more
 * goes before to warm up. Ends with 1 if a watcher was not sent every event once and in order.
 */
public final class Fanout {

    private Fanout() {}

    /** Runs all rounds and prints the table. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        Target target = Target.valueOf(options.text("--target", "brain").toUpperCase(Locale.ROOT));
        int watchers = (int) options.number("--watchers", 600);
        int rounds = (int) options.number("--rounds", 3);
        Load load = new Load((int) options.number("--puts", 3_000), options.number("--rate", 150));
        Path directory = Files.createTempDirectory("fanout-");
        int status = 0;
        try (Cluster cluster = Cluster.start(target, directory);
                Stage stage = new Stage(cluster, watchers, load)) {
            List<Forms> all = new ArrayList<>();
            for (int round = 0; round <= rounds; round++) {
                Forms forms = new Forms(stage, round);
                if (round > 0) {
                    all.add(forms);
                }
                System.out.println("round " + round + " of " + rounds + " done");
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s, %d watchers, %d puts of %d B at %d/s in each run, %d rounds%n%s",
                    cluster.name(),
                    watchers,
                    load.puts(),
                    Load.VALUE_BYTES,
                    load.perSecond(),
                    rounds,
                    Table.of(all));
        } catch (WrongEvents e) {
            System.out.println("WRONG: " + e.getMessage());
            status = 1;
        }
        System.out.println("logs of the servers: " + directory);
        System.exit(status);
    }
}
