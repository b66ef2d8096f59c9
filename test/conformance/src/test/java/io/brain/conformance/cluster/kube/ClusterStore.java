package io.brain.conformance.cluster.kube;

import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;

/** Three Brain servers on TiKV. */
final class ClusterStore implements KubeStore {

    private static final Duration SERVING_MAX = Duration.ofMinutes(1);

    private final Cluster cluster;
    private Node killed;

    ClusterStore(Path directory) throws Exception {
        cluster = Cluster.start(Target.BRAIN, directory);
    }

    @Override
    public String urls() {
        return cluster.nodes().stream()
                .map(node -> "http://" + node.address())
                .collect(Collectors.joining(","));
    }

    @Override
    public String target() {
        return cluster.nodes().get(0).address();
    }

    @Override
    public void kill() throws Exception {
        killed = cluster.awaitLeader();
        killed.program().kill();
    }

    @Override
    public void start() throws Exception {
        killed.program().start();
        if (!cluster.awaitServing(SERVING_MAX)) {
            throw new AssertionError("not all servers of the cluster serve again");
        }
    }

    @Override
    public void close() {
        cluster.close();
    }
}
