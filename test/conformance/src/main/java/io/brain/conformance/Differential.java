package io.brain.conformance;

import io.brain.conformance.cases.Cases;
import io.brain.conformance.history.Histories;
import io.brain.conformance.history.Histories.Result;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.script.Verdict;
import io.brain.conformance.server.ServerCommand;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The whole comparison of Brain with a real etcd: every numbered case, and made-up histories. See
 * {@code --help} for its arguments; it ends with "N passed, N failed", and status 1 if any failed.
 */
public final class Differential {

    private static final String HELP =
            """
            --histories=N   made-up histories to play (default 80)
            --length=N      requests in each (default 300)
            --seed=N        the first one's seed; the others follow (default 1)
            --cases=A,B     only the cases with these numbers; "none" for none
            --print         show what etcd answered, too

            The system property brain.command says how to start Brain (default: ./brain);
            "etcd" compares etcd with itself.
            """;

    private final Arguments arguments;
    private int passed;
    private int failed;
    private int operations;

    private Differential(Arguments arguments) {
        this.arguments = arguments;
    }

    /** Runs the comparison. */
    public static void main(String[] args) throws Exception {
        Optional<Arguments> arguments = Arguments.parse(List.of(args));
        if (arguments.isEmpty()) {
            System.out.print(HELP);
            System.exit(2);
        }
        Differential differential = new Differential(arguments.get());
        try (ServerPair pair = new ServerPair(ServerCommand.etcd(), ServerCommand.compared())) {
            differential.cases(pair);
            differential.histories(pair);
        }
        System.out.println(differential.passed + " passed, " + differential.failed + " failed");
        System.exit(differential.failed == 0 ? 0 : 1);
    }

    private void cases(ServerPair pair) throws Exception {
        int differing = 0;
        int played = 0;
        for (Map.Entry<String, List<Scenario>> area : Cases.byArea().entrySet()) {
            for (Scenario scenario : area.getValue()) {
                if (!arguments.wants(scenario.number())) {
                    continue;
                }
                Verdict verdict = pair.play(scenario);
                played++;
                differing += verdict.passed() ? 0 : 1;
                report(verdict.passed(), area.getKey() + " " + scenario.title());
                System.out.print(verdict.differences());
                if (arguments.print() && verdict.passed()) {
                    verdict.reference().entries().forEach(e -> System.out.println("    " + e));
                }
            }
        }
        System.out.println("cases: " + played + " played, " + differing + " with differences");
        passed += played - differing;
        failed += differing;
    }

    private void histories(ServerPair pair) throws Exception {
        Histories histories =
                new Histories(pair, arguments.print() ? System.out::println : line -> {});
        int differing = 0;
        for (int i = 0; i < arguments.histories(); i++) {
            Result result = histories.play(arguments.seed() + i, arguments.length());
            operations += result.operations();
            differing += result.passed() ? 0 : 1;
            report(
                    result.passed(),
                    "history " + result.seed() + ", " + result.operations() + " operations");
            System.out.print(result.report());
        }
        System.out.println(
                "histories: "
                        + arguments.histories()
                        + " played, "
                        + operations
                        + " operations, "
                        + differing
                        + " with differences");
        passed += arguments.histories() - differing;
        failed += differing;
    }

    private static void report(boolean ok, String what) {
        System.out.println((ok ? "same    " : "DIFFERS ") + what);
    }
}
