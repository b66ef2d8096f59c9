package io.brain.conformance.cluster.kube;

import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Path;
import java.util.List;

/** The server under test with a placed store, {@code hot}. */
final class PlacedStore implements KubeStore {
    private final ServerHome home;
    private final Path hot;
    private ServerProcess process;

    PlacedStore(Path directory) throws Exception {
        home = ServerHome.fresh(directory.resolve("base"));
        hot = directory.resolve("hot");
        start();
    }

    @Override
    public String urls() {
        return home.clientUrl();
    }

    @Override
    public String target() {
        return home.target();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void start() throws Exception {
        ServerCommand command =
                ServerCommand.underTest().withFlags(List.of("--placed-store=hot=rocksdb:" + hot));
        process = ServerProcess.start(command, home);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
