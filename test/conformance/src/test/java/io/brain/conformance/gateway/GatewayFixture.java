package io.brain.conformance.gateway;

import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** A real etcd and Brain, for all tests of a class. */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GatewayFixture {
    Server etcd;
    Server brain;

    @BeforeAll
    void startServers() throws Exception {
        etcd = Server.start(ServerCommand.etcd(), List.of());
        brain = Server.start(ServerCommand.compared(), List.of());
    }

    @AfterAll
    void stopServers() {
        if (etcd != null) {
            etcd.close();
        }
        if (brain != null) {
            brain.close();
        }
    }
}
