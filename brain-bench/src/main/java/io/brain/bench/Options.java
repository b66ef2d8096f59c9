package io.brain.bench;

import io.brain.bench.shape.Catalogue;
import io.brain.bench.shape.Settings;
import io.brain.bench.shape.Sizes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command line.
 *
 * @param servers at least one; the first is the base of the ratios
 * @param loads in the order of the table
 * @param rounds repetitions
 * @param json where the results are written as JSON; null for nowhere
 */
record Options(
        List<ServerAddress> servers,
        List<Catalogue> loads,
        Sizes sizes,
        Settings settings,
        Rounds rounds,
        Path json) {

    private static final double SECONDS_MAX = 600;
    private static final int CLIENTS_MAX = 5_000;
    private static final int WATCHERS_MAX = 20_000;
    private static final int CONNECTIONS_MAX = 256;
    private static final int OBJECTS_MAX = 2_000_000;
    private static final int VALUE_BYTES_MAX = 10_000;
    private static final int VERSIONS_MAX = 1_000;
    private static final int ROUNDS_MAX = 100;
    private static final int SEED_PRESET_MAX = 1_000_000;

    /**
     * Repetition of the loads.
     *
     * @param count number of measured rounds
     * @param warmUp whether a round runs before them
     * @param compact whether all history is compacted after each round
     * @param max time after which no stretch starts
     * @param mixedWarmUp duration of the mixed load before the first round; zero for none
     * @param seed seed of the order of loads
     */
    record Rounds(
            int count,
            boolean warmUp,
            boolean compact,
            Duration max,
            Duration mixedWarmUp,
            int seed) {}

    /** The options. */
    static CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("brain-bench");
        describe(spec);
        add(
                spec,
                "--server",
                "NAME=PID@127.0.0.1:PORT[,TOKEN]",
                null,
                "a server, and the token of calls; may be repeated");
        add(spec, "--shapes", "NAME,...", "usual", names());
        add(spec, "--clients", "N,...", "1,64,300,1000", "clients of loads on single objects");
        add(spec, "--connections", "N", "8", "shared by all clients");
        add(spec, "--rate", "N", "0", "operations/s; 0: closed loop");
        add(
                spec,
                "--value-bytes",
                "N",
                "512",
                "size of values (list, pages, count, read, keys-only: 1 KiB)");
        add(
                spec,
                "--read-share",
                "SHARE",
                "0.9",
                "share of reads in the mixed load; the rest are updates");
        add(spec, "--list-sizes", "N,...", "500", "keys in a list");
        add(spec, "--versions", "N,...", "1,8,100", "versions of each key in 'versions'");
        add(spec, "--background-rate", "N", "200", "puts/s during 'versions' and 'overlap'");
        add(spec, "--page-sizes", "N,...", "500,10000", "keys in a page of a paged list");
        add(
                spec,
                "--objects",
                "N",
                "100000",
                "objects of 1 KiB in pages, count, read and keys-only");
        add(spec, "--list-clients", "N", "8", "clients of lists and counts; pages have one");
        add(spec, "--watchers", "N,...", "10,100,1000", "watchers of one prefix");
        add(spec, "--watch-events", "N", "20000", "events/s, for all watchers together");
        add(spec, "--history", "N", "1000000", "revisions that 'compaction' compacts");
        add(spec, "--compaction-rate", "N", "1000", "writes/s during 'compaction'");
        add(spec, "--seconds", "S", "5", "measured time of each stretch");
        add(spec, "--warm-up", "S", "1", "warm-up of each stretch");
        add(spec, "--rounds", "N", "5", "measured rounds");
        add(spec, "--seed", "N", null, "seed of the order of loads (default: random)");
        add(
                spec,
                "--mixed-warm-up",
                "S",
                "20",
                "mixed load of all kinds of calls before the rounds");
        add(spec, "--warm-round", "yes|no", "yes", "run a round before the measured ones");
        add(spec, "--compact", "yes|no", "yes", "compact all history after each round");
        add(spec, "--minutes-max", "N", "120", "start no stretch after this time");
        add(spec, "--client", "grpc|lean", "grpc", "lean: handwritten HTTP/2 for unary calls");
        add(spec, "--json", "FILE", null, "write all results");
        return spec.addMixin("help", CommandSpec.create().mixinStandardHelpOptions(true));
    }

    private static void describe(CommandSpec spec) {
        spec.usageMessage()
                .description(
                        "Runs the same loads on etcd-compatible servers alternately, and compares"
                                + " their cost. The first server is the base of the ratios.")
                .footer(
                        "%nLoads that caches do not hide:",
                        "versions: lists of --list-sizes keys with --versions each, written before"
                            + " a stretch if a compaction removed them; list-limit: a limit ends"
                            + " the list, and three times as many keys follow, of at most 8"
                            + " versions (62 000 puts for 500 keys of 100 versions); list-all: no"
                            + " limit.",
                        "overlap: lists of 100 to 500 of 5000 keys from a random one on.",
                        "cursor: one client, limit 1, the first of 5000 keys from a random one on"
                                + " and the last before one (KEY DESCEND), in turn and each alone.",
                        "first-list: 100 prefixes of 500 new keys with 8 versions, each listed"
                                + " once.",
                        "watch-slow: 8 watchers of one prefix, 200 puts/s to it; cost per put.",
                        "neighbour: the last changed of 2000 keys, one at a time, beside a client"
                            + " with 1000 of them in flight on another connection; only the first"
                            + " client is measured.",
                        "keys-only: the keys of all --objects in one answer, ten times, one"
                                + " client.",
                        "The CPU of the background puts is in the figures of 'versions' and"
                                + " 'overlap', for all servers alike; a server with more lists/s"
                                + " spreads it over more of them, which --rate prevents.",
                        "Loads are shuffled in each round, for all servers alike; the table keeps"
                                + " the order of --shapes.")
                .sortOptions(false)
                .width(100);
    }

    /**
     * Reads the command line.
     *
     * @throws IllegalArgumentException if a value is invalid
     */
    static Options of(ParseResult parsed) {
        Reader reader = new Reader(parsed);
        List<ServerAddress> servers =
                reader.all("--server").stream().map(ServerAddress::parse).toList();
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("--server is required");
        }
        if (servers.stream().map(ServerAddress::name).distinct().count() < servers.size()) {
            throw new IllegalArgumentException("server names must be distinct");
        }
        return new Options(
                servers,
                Catalogue.parse(reader.words("--shapes")),
                sizes(reader),
                settings(reader),
                new Rounds(
                        reader.number("--rounds", 1, ROUNDS_MAX),
                        reader.choice("--warm-round", "yes", "no"),
                        reader.choice("--compact", "yes", "no"),
                        Duration.ofMinutes(reader.number("--minutes-max", 1, 24 * 60)),
                        reader.seconds("--mixed-warm-up"),
                        reader.seed("--seed")),
                reader.path("--json"));
    }

    private static Sizes sizes(Reader reader) {
        return new Sizes(
                reader.numbers("--clients", CLIENTS_MAX),
                reader.numbers("--watchers", WATCHERS_MAX),
                reader.numbers("--list-sizes", OBJECTS_MAX),
                reader.numbers("--page-sizes", OBJECTS_MAX),
                reader.numbers("--versions", VERSIONS_MAX),
                new Sizes.Special(
                        reader.number("--objects", 1, OBJECTS_MAX),
                        reader.number("--list-clients", 1, CLIENTS_MAX),
                        reader.decimal("--read-share", 1),
                        reader.number("--watch-events", 1, 10_000_000),
                        new Sizes.Compaction(
                                reader.number("--history", 1, 100_000_000),
                                reader.number("--compaction-rate", 1, 1_000_000))));
    }

    private static Settings settings(Reader reader) {
        return new Settings(
                reader.seconds("--warm-up"),
                reader.seconds("--seconds"),
                reader.decimal("--rate", 10_000_000),
                reader.decimal("--background-rate", 10_000),
                reader.number("--connections", 1, CONNECTIONS_MAX),
                reader.number("--value-bytes", 16, VALUE_BYTES_MAX),
                reader.choice("--client", "lean", "grpc"));
    }

    private static String names() {
        return "loads, of "
                + String.join(", ", Arrays.stream(Catalogue.values()).map(Catalogue::word).toList())
                + "; or usual (put to count, and watch), or all";
    }

    private static void add(
            CommandSpec spec, String name, String label, String preset, String words) {
        OptionSpec.Builder option =
                OptionSpec.builder(name).paramLabel(label).description(words).arity("1");
        if (preset == null) {
            option.type(List.class).auxiliaryTypes(String.class);
        } else {
            option.type(String.class).defaultValue(preset).description(words + " (" + preset + ")");
        }
        spec.addOption(option.build());
    }

    private record Reader(ParseResult parsed) {

        List<String> all(String name) {
            return parsed.matchedOptionValue(name, List.of());
        }

        String text(String name) {
            return parsed.commandSpec().findOption(name).getValue();
        }

        Path path(String name) {
            List<String> all = all(name);
            return all.isEmpty() ? null : Path.of(all.get(all.size() - 1));
        }

        List<String> words(String name) {
            return Arrays.stream(text(name).split(",", -1)).map(String::trim).toList();
        }

        List<Integer> numbers(String name, int max) {
            return words(name).stream().map(word -> number(name, word, 1, max)).toList();
        }

        int number(String name, int min, int max) {
            return number(name, text(name), min, max);
        }

        private int number(String name, String word, int min, int max) {
            double number = decimal(name, word);
            if (number < min || number > max || number != Math.rint(number)) {
                throw new IllegalArgumentException(
                        name + " takes whole numbers from " + min + " to " + max);
            }
            return (int) number;
        }

        /** The last one on the command line; random by default. */
        int seed(String name) {
            List<String> all = all(name);
            return all.isEmpty()
                    ? ThreadLocalRandom.current().nextInt(SEED_PRESET_MAX)
                    : number(name, all.get(all.size() - 1), 0, Integer.MAX_VALUE);
        }

        double decimal(String name, double max) {
            double number = decimal(name, text(name));
            if (!(number >= 0 && number <= max)) {
                throw new IllegalArgumentException(name + " takes numbers from 0 to " + max);
            }
            return number;
        }

        private double decimal(String name, String word) {
            try {
                return Double.parseDouble(word);
            } catch (NumberFormatException malformed) {
                throw new IllegalArgumentException(name + ": no number: " + word, malformed);
            }
        }

        Duration seconds(String name) {
            return Duration.ofMillis((long) (1_000 * decimal(name, SECONDS_MAX)));
        }

        /** True for {@code yes}, false for {@code no}. */
        boolean choice(String name, String yes, String no) {
            String word = text(name);
            if (!word.equals(yes) && !word.equals(no)) {
                throw new IllegalArgumentException(name + " takes " + yes + " or " + no);
            }
            return word.equals(yes);
        }
    }
}
