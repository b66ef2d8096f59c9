package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.durability.Violation.Kind;
import java.util.List;
import java.util.stream.Stream;

/**
 * The figures of a series of kill rounds.
 *
 * @param recoveryKills kills while the server was starting, besides the rounds
 * @param compactions those acknowledged while others wrote
 * @param violations empty for a good server
 */
record KillSummary(
        long seed,
        int rounds,
        int recoveryKills,
        Writes writes,
        Leases leases,
        int compactions,
        long lastRevision,
        long pastReads,
        List<Violation> violations) {

    /**
     * @param landed how many of the unanswered turned out to have happened
     */
    record Writes(long acknowledged, long unanswered, long landed) {}

    /**
     * @param expired those that ended by themselves and took keys along
     */
    record Leases(long granted, long expired) {}

    String text() {
        return String.format(
                "kill -9: rounds %d (+%d while starting), acknowledged %d, unanswered %d (%d had"
                        + " happened), leases %d (%d expired with keys), compactions %d, last"
                        + " revision %d, reads at old revisions %d, lost %d, torn %d, revision gaps"
                        + " %d, leases lost %d, other %d; seed %d",
                rounds,
                recoveryKills,
                writes.acknowledged(),
                writes.unanswered(),
                writes.landed(),
                leases.granted(),
                leases.expired(),
                compactions,
                lastRevision,
                pastReads,
                count(Kind.LOST),
                count(Kind.TORN),
                count(Kind.GAP) + count(Kind.MOVED),
                count(Kind.LEASE),
                violations.size() - counted(),
                seed);
    }

    private long counted() {
        return Stream.of(Kind.LOST, Kind.TORN, Kind.GAP, Kind.MOVED, Kind.LEASE)
                .mapToLong(kind -> count(kind))
                .sum();
    }

    private long count(Kind kind) {
        return violations.stream().filter(violation -> violation.kind() == kind).count();
    }
}
