package io.brain.conformance.overload;

import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Overloads a real etcd and Brain in turns, a fresh server each time, and prints one table.
 * Arguments: the number of rounds, then words that the wanted scenarios' names contain (default:
 * all of them).
 */
public final class Overload {

    /** Both servers' data segments end here: the machine is shared. */
    private static final long MEMORY_MIB = Long.getLong("overload.memory.mib", 8_192);

    /** Longer than a watcher needs to be noticed, shorter than a lease. */
    private static final long PROBE_SECONDS_MIN = 3;

    /** No round begins that would probably end later. */
    private static final long MINUTES_MAX = Long.getLong("overload.minutes.max", 35);

    private Overload() {}

    /** Runs all rounds. */
    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        List<String> words = List.of(args).subList(Math.min(1, args.length), args.length);
        List<ServerCommand> servers =
                List.of(
                        limited(ServerCommand.etcd(), "etcd"),
                        limited(ServerCommand.underTest(), "Brain"));
        Table table = new Table();
        long started = System.nanoTime();
        for (int round = 1; round <= rounds; round++) {
            long each = round == 1 ? 0 : (System.nanoTime() - started) / (round - 1);
            if (each * round > TimeUnit.MINUTES.toNanos(MINUTES_MAX)) {
                System.out.println("no time for round " + round + " of " + rounds);
                break;
            }
            for (Scenario scenario : Scenario.all()) {
                if (words.isEmpty() || words.stream().anyMatch(scenario.name()::contains)) {
                    for (int turn = 0; turn < 2; turn++) {
                        ServerCommand server = servers.get((round + turn + 1) % 2);
                        measure(round, scenario, server, table);
                    }
                }
            }
        }
        System.out.println();
        System.out.print(table.text());
        System.exit(0);
    }

    /** What cannot be measured is left out of the table. */
    private static void measure(int round, Scenario scenario, ServerCommand server, Table table)
            throws InterruptedException {
        try {
            Figures figures = run(scenario, server);
            System.out.printf(
                    Locale.ROOT,
                    "round %d, %s, %s: %s%n",
                    round,
                    scenario.name(),
                    server.name(),
                    figures);
            table.add(scenario.name(), server.name(), figures);
        } catch (IOException failed) {
            System.out.printf(
                    Locale.ROOT,
                    "round %d, %s, %s: %s%n",
                    round,
                    scenario.name(),
                    server.name(),
                    failed.getMessage());
        }
    }

    private static Figures run(Scenario scenario, ServerCommand command)
            throws IOException, InterruptedException {
        List<String> flags =
                command.isEtcd() ? List.of("--quota-backend-bytes=8589934592") : List.of();
        try (Target target = new Target(Server.start(command, flags))) {
            Probe probe = new Probe(target.server().port(), target.ends());
            Vitals vitals = new Vitals(target.server().port(), target.ends());
            long started = System.nanoTime();
            try {
                target.warmUp();
                scenario.before().on(target);
                target.forgetPeak();
                probe.measure();
                vitals.measure();
                started = System.nanoTime();
                scenario.load().on(target);
            } catch (TimeoutException | IllegalStateException | StatusRuntimeException e) {
                target.ends().ended(String.valueOf(e.getMessage()));
            }
            double seconds = (System.nanoTime() - started) / 1e9;
            long left = TimeUnit.SECONDS.toMillis(PROBE_SECONDS_MIN) - (long) (seconds * 1e3);
            Thread.sleep(Math.max(0, left));
            long peak = target.peakMib();
            probe.stop();
            vitals.stop();
            Figures.Healthy healthy =
                    new Figures.Healthy(
                            probe.puts(), probe.gets(), vitals.keepAlives(), vitals.healths());
            return new Figures(peak, seconds, healthy, target.ends().refused());
        }
    }

    /** The same server with a bound on its memory, so that it fails and not the machine. */
    private static ServerCommand limited(ServerCommand command, String name) {
        return command.under(List.of("prlimit", "--data=" + (MEMORY_MIB << 20))).named(name);
    }
}
