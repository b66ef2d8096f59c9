package io.brain.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.brain.conformance.script.Duel;
import io.brain.conformance.server.ServerCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** A real etcd and Brain, for all tests of a class. */
@Tag("peer")
@TestInstance(Lifecycle.PER_CLASS)
abstract class DuelFixture {

    private Duel duel;

    @BeforeAll
    final void serversAreThere() {
        assumeTrue(ServerCommand.etcd().isPresent(), ServerCommand::missingEtcd);
        duel = new Duel(ServerCommand.etcd().orElseThrow(), ServerCommand.brain());
    }

    @AfterAll
    final void stopServers() {
        if (duel != null) {
            duel.close();
            System.out.println(summary());
        }
    }

    Duel duel() {
        return duel;
    }

    /** One line on what was compared. */
    abstract String summary();
}
