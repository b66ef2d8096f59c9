package io.brain.conformance.members;

import io.brain.conformance.access.AccessTally;
import io.brain.conformance.cases.Cases;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The numbered cases and made-up histories, played to a real etcd and to a follower of a cluster.
 */
@Tag("peer")
@Isolated
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FollowerCasesTest {
    private static final int HISTORIES = Form.size(2, 20);
    private static final int LENGTH = 300;

    /** Histories of users' calls, other ones than those that a single server plays. */
    private static final int ACCESS_HISTORIES = Form.size(3, 20);

    private static final int ACCESS_SEED = 101;

    /** No region is split: servers start all the while. */
    private static final long REGION_BYTES = 1 << 30;

    private static TikvBed bed;
    private static ServerPair pair;

    @BeforeAll
    static void start(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        var unused = Peer.ETCD.require();
        Peer.requireTikv();
        bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES);
        pair =
                new ServerPair(
                        ServerCommand.etcd(),
                        ServerCommand.follower(List.of("--pd-endpoints=" + bed.pdEndpoints())));
    }

    @AfterAll
    static void stop() {
        if (pair != null) {
            pair.close();
        }
        if (bed != null) {
            bed.close();
        }
    }

    @Test
    void aFollowerAnswersAsEtcdDoes() throws Exception {
        FollowerCases cases = new FollowerCases(pair);
        cases.play(FollowerCasesTest::isPlayed);
        cases.play(HISTORIES, LENGTH);
        cases.expectNoDifference("a follower");
    }

    @Test
    void aFollowerChecksCallsAsEtcdDoes() throws Exception {
        AccessTally tally = new AccessTally();
        try {
            for (int i = 0; i < ACCESS_HISTORIES; i++) {
                tally.play(pair, ACCESS_SEED + i);
            }
        } finally {
            System.out.println(tally + ", by a follower");
        }
    }

    /**
     * The short form plays every third case that needs servers of its own, none of them to hash.
     */
    private static boolean isPlayed(String area, Scenario scenario) {
        return Form.current() == Form.LONG
                || (!area.equals(Cases.HASH) && (!scenario.fresh() || scenario.number() % 3 == 0));
    }
}
