package io.brain.conformance.members;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cases.Cases;
import io.brain.conformance.history.Histories;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.script.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/** Plays numbered cases and histories to etcd and a follower, and collects what differs. */
final class FollowerCases {
    /**
     * Cases that must differ and are not played: there are three members (108, 250), and neither
     * TiKV nor a database stores keys of megabytes (212).
     */
    private static final Set<Integer> KNOWN = Set.of(108, 212, 250);

    private final ServerPair pair;
    private final List<String> differing = new ArrayList<>();
    private int cases;
    private int operations;

    FollowerCases(ServerPair pair) {
        this.pair = pair;
    }

    /**
     * Plays numbered cases.
     *
     * @param chosen by area and case
     */
    void play(BiPredicate<String, Scenario> chosen) throws InterruptedException {
        for (Map.Entry<String, List<Scenario>> area : Cases.byArea().entrySet()) {
            for (Scenario scenario : area.getValue()) {
                if (!KNOWN.contains(scenario.number()) && chosen.test(area.getKey(), scenario)) {
                    Verdict verdict = play(scenario);
                    cases++;
                    if (!verdict.passed()) {
                        differing.add(scenario.title() + "\n" + verdict.differences());
                    }
                }
            }
        }
    }

    /** Servers that do not start are given a second chance: four of them elect on few cores. */
    private Verdict play(Scenario scenario) throws InterruptedException {
        try {
            return pair.play(scenario);
        } catch (IllegalStateException noServer) {
            System.out.println("fell over, played again: " + noServer.getCause());
            pair.stop();
            return pair.play(scenario);
        }
    }

    /** Plays histories of this number of operations. */
    void play(int histories, int length) throws Exception {
        Histories player = new Histories(pair, line -> {});
        for (int seed = 1; seed <= histories; seed++) {
            Histories.Result result = player.play(seed, length);
            operations += result.operations();
            if (!result.passed()) {
                differing.add(result.report());
            }
        }
    }

    /** Prints a summary, and fails if anything differed. */
    void expectNoDifference(String by) {
        System.out.printf(
                "summary: by %s: cases %d, operations of histories %d, differences %d, known to"
                        + " differ %d%n",
                by, cases, operations, differing.size(), KNOWN.size());
        assertThat(differing).isEmpty();
    }
}
