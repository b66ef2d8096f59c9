package io.brain.conformance.cluster.kube;

import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Path;
import java.util.List;

/** An etcd, and the server under test as its standby, which is what the kube-apiserver uses. */
final class MovingStore implements KubeStore {
    private final ServerHome source;
    private final ServerHome standby;
    private final ServerProcess etcd;
    private ServerProcess process;

    MovingStore(Path directory) throws Exception {
        source = ServerHome.fresh(directory.resolve("etcd"));
        standby = ServerHome.fresh(directory.resolve("standby"));
        etcd = ServerProcess.start(ServerCommand.etcd(), source);
        start();
    }

    /** The etcd. */
    ServerHome source() {
        return source;
    }

    @Override
    public String urls() {
        return standby.clientUrl();
    }

    @Override
    public String target() {
        return standby.target();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void start() throws Exception {
        ServerCommand command =
                ServerCommand.underTest().withFlags(List.of("--standby-of=" + source.clientUrl()));
        process = ServerProcess.start(command, standby);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        etcd.close();
    }
}
