package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.durability.Violation.Kind;
import java.util.List;

/**
 * The figures of a series of kill rounds.
 *
 * @param recoveryKills kills while the server was starting, besides the rounds
 * @param landed how many of the unanswered writes turned out to have happened
 * @param violations empty for a good server
 */
record KillSummary(
        long seed,
        int rounds,
        int recoveryKills,
        long acknowledged,
        long unanswered,
        long landed,
        long lastRevision,
        long pastReads,
        List<Violation> violations) {

    String text() {
        return String.format(
                "kill -9: rounds %d (+%d while starting), acknowledged %d, unanswered %d (%d had"
                        + " happened), last revision %d, reads at old revisions %d, lost %d, torn"
                        + " %d, other %d; seed %d",
                rounds,
                recoveryKills,
                acknowledged,
                unanswered,
                landed,
                lastRevision,
                pastReads,
                count(Kind.LOST),
                count(Kind.TORN),
                violations.size() - count(Kind.LOST) - count(Kind.TORN),
                seed);
    }

    private long count(Kind kind) {
        return violations.stream().filter(violation -> violation.kind() == kind).count();
    }
}
