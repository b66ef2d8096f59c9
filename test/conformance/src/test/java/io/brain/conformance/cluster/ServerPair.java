package io.brain.conformance.cluster;

import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A fresh etcd and a fresh server under test, to be compared.
 *
 * @param etcd the reference
 * @param server the server under test
 */
public record ServerPair(ServerProcess etcd, ServerProcess server) implements AutoCloseable {

    /**
     * Starts both.
     *
     * @param directory for their data
     */
    public static ServerPair start(Path directory) throws IOException, InterruptedException {
        ServerProcess etcd =
                ServerProcess.start(
                        ServerCommand.etcd(), ServerHome.fresh(directory.resolve("etcd")));
        try {
            ServerHome home = ServerHome.fresh(directory.resolve("server"));
            return new ServerPair(etcd, ServerProcess.start(ServerCommand.underTest(), home));
        } catch (IOException | InterruptedException | RuntimeException failure) {
            etcd.close();
            throw failure;
        }
    }

    @Override
    public void close() {
        etcd.close();
        server.close();
    }
}
