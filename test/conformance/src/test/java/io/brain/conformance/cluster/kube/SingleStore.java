package io.brain.conformance.cluster.kube;

import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Path;

/** One server under test. */
final class SingleStore implements KubeStore {

    private final ServerHome home;
    private ServerProcess process;

    SingleStore(Path directory) throws Exception {
        home = ServerHome.fresh(directory);
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
        process = ServerProcess.start(ServerCommand.underTest(), home);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
