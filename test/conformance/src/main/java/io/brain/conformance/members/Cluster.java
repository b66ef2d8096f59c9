package io.brain.conformance.members;

import io.brain.proto.etcd.StatusResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Three members and what they stand on. Thread-safe, but one thread starts and revives. */
public final class Cluster implements AutoCloseable {

    private static final int PAUSE_MILLIS = 100;
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration LEADER_MAX = Duration.ofSeconds(60);

    private final String name;
    private final List<Node> nodes;
    private final List<Node> twins;
    private final Optional<TikvBed> bed;
    private final List<Clock> clocks;
    private final Network network;
    private int revived;

    /**
     * @param twins for each node a second process of the same member id; empty if the kind of
     *     cluster has no use for them
     */
    Cluster(
            String name,
            List<Node> nodes,
            List<Node> twins,
            Optional<TikvBed> bed,
            List<Clock> clocks,
            Network network) {
        this.name = name;
        this.nodes = List.copyOf(nodes);
        this.twins = List.copyOf(twins);
        this.bed = bed;
        this.clocks = List.copyOf(clocks);
        this.network = network;
    }

    /** Starts a cluster whose store is empty, and returns when all its members serve. */
    public static Cluster start(Target target, Path directory)
            throws IOException, InterruptedException {
        return start(target, directory, LEASE);
    }

    /** The same with another lease of Brain's leader. */
    public static Cluster start(Target target, Path directory, Duration lease)
            throws IOException, InterruptedException {
        return start(target, directory, lease, List.of());
    }

    /** The same with further flags of each member. */
    public static Cluster start(Target target, Path directory, Duration lease, List<String> flags)
            throws IOException, InterruptedException {
        Cluster cluster = target.create(directory, lease, flags);
        try {
            for (Node node : cluster.nodes()) {
                node.program().start();
            }
            if (!cluster.awaitServing(Duration.ofSeconds(90))) {
                throw new IOException("the cluster does not serve; its logs are in " + directory);
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** What kind of cluster it is. */
    public String name() {
        return name;
    }

    public List<Node> nodes() {
        return nodes;
    }

    /**
     * For each node a second process, which does not run yet: the same flags and so the same member
     * id, but data and ports of its own. Empty for etcd.
     */
    public List<Node> twins() {
        return twins;
    }

    /** What Brain stands on; empty for etcd. */
    public Optional<TikvBed> bed() {
        return bed;
    }

    /** Of Brain's servers and of TiKV's; empty for etcd. */
    public List<Clock> clocks() {
        return clocks;
    }

    public Network network() {
        return network;
    }

    /** The member that leads in the newest term, if one says so. */
    public Optional<Node> leader() {
        record Claim(Node node, long term) {}
        return nodes.stream()
                .flatMap(
                        node ->
                                node
                                        .status()
                                        .filter(Node::leads)
                                        .map(status -> new Claim(node, status.getRaftTerm()))
                                        .stream())
                .max(Comparator.comparingLong(Claim::term))
                .map(Claim::node);
    }

    /** The leader, once there is one that says so: a busy machine's members may be late. */
    public Node awaitLeader() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LEADER_MAX.toNanos();
        while (true) {
            Optional<Node> leader = leader();
            if (leader.isPresent()) {
                return leader.get();
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("nobody leads");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** The term of the leader; 0 if nobody says that it leads. */
    public long term() {
        return leader().flatMap(Node::status).map(StatusResponse::getRaftTerm).orElse(0L);
    }

    /** Hands the leadership over to another member; false if there was no leader, or it refused. */
    public boolean moveLeader(Node to, Duration max) {
        Optional<Node> leader = leader();
        Optional<StatusResponse> target = to.status();
        return leader.isPresent()
                && target.isPresent()
                && leader.get().moveLeader(target.get().getHeader().getMemberId(), max);
    }

    /** Starts members that have ended by themselves, as a supervisor would; they are counted. */
    public void revive() throws IOException {
        for (Node node : nodes) {
            if (!node.program().isAlive()) {
                node.program().start();
                revived++;
            }
        }
    }

    /** How many members had ended by themselves. */
    public int revived() {
        return revived;
    }

    /** Waits until every member answers a linearizable read; false if that took too long. */
    public boolean awaitServing(Duration max) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + max.toNanos();
        while (!nodes.stream().allMatch(Node::serves) || leader().isEmpty()) {
            revive();
            if (System.nanoTime() > deadline) {
                return false;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        return true;
    }

    /** Ends all processes, members first. */
    @Override
    public void close() {
        twins.forEach(Node::close);
        nodes.forEach(Node::close);
        bed.ifPresent(TikvBed::close);
        network.close();
    }
}
