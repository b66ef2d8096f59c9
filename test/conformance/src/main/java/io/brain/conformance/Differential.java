package io.brain.conformance;

import io.brain.conformance.cases.Cases;
import io.brain.conformance.script.Duel;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Verdict;
import io.brain.conformance.server.ServerCommand;
import java.util.List;

/** tmp */
public final class Differential {
    private Differential() {}

    public static void main(String[] args) throws Exception {
        int passed = 0;
        int failed = 0;
        try (Duel duel = new Duel(ServerCommand.etcd().orElseThrow(), ServerCommand.brain())) {
            for (List<Scenario> area : Cases.byArea().values()) {
                for (Scenario scenario : area) {
                    if (args.length > 1 && !List.of(args).contains("" + scenario.number())) {
                        continue;
                    }
                    long t = System.nanoTime();
                    Verdict v = duel.play(scenario);
                    System.out.printf(
                            "%s %s %d ms%n",
                            v.passed() ? "ok  " : "FAIL",
                            scenario.title(),
                            (System.nanoTime() - t) / 1_000_000);
                    if (!v.passed()) System.out.println(v.differences());
                    else if (args.length > 0)
                        v.reference().entries().forEach(e -> System.out.println("      " + e));
                    if (v.passed()) passed++;
                    else failed++;
                }
            }
        }
        System.out.println(passed + " passed, " + failed + " failed");
    }
}
