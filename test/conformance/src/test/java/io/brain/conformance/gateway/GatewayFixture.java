package io.brain.conformance.gateway;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A real etcd and Brain, for all tests of a class. */
@Tag("peer")
abstract class GatewayFixture {
    static Server etcd;
    static Server brain;

    @BeforeAll
    static void startServers() throws Exception {
        assumeTrue(ServerCommand.etcd().isPresent(), ServerCommand::missingEtcd);
        etcd = Server.start(ServerCommand.etcd().orElseThrow(), List.of());
        brain = Server.start(ServerCommand.brain(), List.of());
    }

    @AfterAll
    static void stopServers() {
        if (etcd != null) {
            etcd.close();
        }
        if (brain != null) {
            brain.close();
        }
    }
}
