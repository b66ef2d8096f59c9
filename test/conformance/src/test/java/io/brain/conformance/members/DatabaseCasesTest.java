package io.brain.conformance.members;

import io.brain.conformance.access.AccessTally;
import io.brain.conformance.cases.Cases;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.storage.testkit.DatabaseServer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Made-up histories and numbered cases, played to etcd and to a follower of three on a database.
 */
@Tag("peer")
@Isolated
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class DatabaseCasesTest {
    private static final int HISTORIES = Form.size(2, 20);
    private static final int LENGTH = 300;
    private static final int ACCESS_SEED = 201;

    @ParameterizedTest
    @EnumSource
    void aFollowerAnswersAsEtcdDoes(DatabaseServer.Kind kind) throws Exception {
        var unused = Peer.ETCD.require();
        try (DatabaseServer bed = DatabaseServer.start(kind);
                ServerPair pair =
                        new ServerPair(
                                ServerCommand.etcd(), ServerCommand.follower(bed.storageFlags()))) {
            FollowerCases cases = new FollowerCases(pair);
            cases.play(DatabaseCasesTest::isPlayed);
            cases.play(HISTORIES, LENGTH);
            AccessTally tally = new AccessTally();
            tally.play(pair, ACCESS_SEED);
            System.out.println(tally + ", by a follower on " + kind);
            cases.expectNoDifference("a follower on " + kind);
        }
    }

    /** The short form plays every fourth case that needs no servers of its own. */
    private static boolean isPlayed(String area, Scenario scenario) {
        boolean few = !scenario.fresh() && scenario.number() % 4 == 0;
        return !area.equals(Cases.HASH) && (few || Form.current() == Form.LONG);
    }
}
