package io.brain.conformance.fanout;

import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A cluster whose leader stays, and runs on it. For one thread. */
final class Stage implements AutoCloseable {

    private static final Duration SERVING_MAX = Duration.ofSeconds(60);

    /** How much longer than its puts a run may take. */
    private static final Duration LATE_MAX = Duration.ofMinutes(2);

    private static final int QUIET_MILLIS = 500;

    private final Cluster cluster;
    private final int watchers;
    private final Load load;
    private final Node leader;
    private final ManagedChannel writer;

    /** The leader first. */
    private final List<Node> nodes = new ArrayList<>();

    Stage(Cluster cluster, int watchers, Load load) throws IOException {
        this.cluster = cluster;
        this.watchers = watchers;
        this.load = load;
        this.leader = cluster.leader().orElseThrow(() -> new IOException("nobody leads"));
        this.writer = leader.directChannel();
        nodes.add(leader);
        cluster.nodes().stream().filter(node -> node != leader).forEach(nodes::add);
    }

    /** How many nodes there are. */
    int nodes() {
        return nodes.size();
    }

    /**
     * One run.
     *
     * @param serving how many nodes serve the watchers, the leader first; 0: there are none
     * @throws IOException if a put fails, or another node came to lead
     */
    Run run(int serving) throws IOException, InterruptedException, WrongEvents {
        if (!cluster.awaitServing(SERVING_MAX)) {
            throw new IOException("the cluster does not serve after " + SERVING_MAX);
        }
        long first = Load.fill(writer) + 1;
        int present = serving == 0 ? 0 : watchers;
        try (Audience audience = new Audience(first, load.puts())) {
            audience.open(nodes.subList(0, serving), present);
            audience.awaitCreated(LATE_MAX);
            Thread.sleep(QUIET_MILLIS);
            long leaderBefore = micros(leader);
            long allBefore = micros();
            List<Double> putMillis = load.run(writer);
            audience.awaitAll(LATE_MAX);
            long leaderMicros = micros(leader) - leaderBefore;
            long allMicros = micros() - allBefore;
            // Whoever is sent an event too many is sent it about now.
            Thread.sleep(QUIET_MILLIS);
            audience.check();
            if (!cluster.leader().equals(Optional.of(leader))) {
                throw new IOException(leader.name() + " does not lead any more");
            }
            return new Run(
                    serving, (long) present * load.puts(), leaderMicros, allMicros, putMillis);
        }
    }

    private long micros() throws IOException {
        long sum = 0;
        for (Node node : nodes) {
            sum += micros(node);
        }
        return sum;
    }

    /** What {@code /proc/PID/stat} says of user and system time, in steps of 10 ms. */
    private static long micros(Node node) throws IOException {
        return ProcessHandle.of(node.program().pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .map(time -> time.toNanos() / 1_000)
                .orElseThrow(() -> new IOException(node.name() + " is gone"));
    }

    @Override
    public void close() {
        writer.shutdownNow();
    }
}
