package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.brain.conformance.history.Histories;
import io.brain.conformance.history.Histories.Result;
import io.brain.conformance.script.Duel;
import io.brain.conformance.server.ServerCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The short form of the made-up histories; {@link Differential} is the long one. */
@Tag("peer")
@TestInstance(Lifecycle.PER_CLASS)
class GeneratedHistoriesTest {

    private static final int LENGTH = 300;

    private Duel duel;
    private int operations;

    @BeforeAll
    void serversAreThere() {
        assumeTrue(ServerCommand.etcd().isPresent(), ServerCommand::missingEtcd);
        duel = new Duel(ServerCommand.etcd().orElseThrow(), ServerCommand.brain());
    }

    @AfterAll
    void stopServers() {
        if (duel != null) {
            duel.close();
            System.out.println("histories: " + operations + " operations");
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void brainAnswersAsEtcdDoes(long seed) throws Exception {
        Result result = new Histories(duel, line -> {}).play(seed, LENGTH);
        operations += result.operations();
        assertThat(result.report()).isEmpty();
    }
}
