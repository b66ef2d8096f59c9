package io.brain.conformance;

import io.brain.conformance.script.ServerPair;
import io.brain.conformance.server.ServerCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.Isolated;

/** A real etcd and Brain, for all tests of a class. */
@Tag("peer")
@Isolated
@TestInstance(Lifecycle.PER_CLASS)
abstract class ServerPairFixture {

    private ServerPair pair;

    @BeforeAll
    final void serversAreThere() {
        pair = new ServerPair(ServerCommand.etcd(), ServerCommand.compared());
    }

    @AfterAll
    final void stopServers() {
        if (pair != null) {
            pair.close();
            System.out.println(summary());
        }
    }

    ServerPair pair() {
        return pair;
    }

    /** One line on what was compared. */
    abstract String summary();
}
