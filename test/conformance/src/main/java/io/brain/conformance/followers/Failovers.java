package io.brain.conformance.followers;

import com.google.protobuf.ByteString;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Kills the leader, writes once, and waits until the others show the write: first the survivor,
 * then the killed member after its start. For one thread.
 */
final class Failovers {

    private static final Duration SERVING_MAX = Duration.ofSeconds(60);
    private static final double SHOWN_MILLIS_MAX = 1_000;
    private static final long WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);
    private static final long CALL_MILLIS_MAX = 700;

    private final Cluster cluster;
    private int rounds;
    private int late;
    private double slowest;

    Failovers(Cluster cluster) {
        this.cluster = cluster;
    }

    /** One round; how long each follower took to show the write. */
    String measure() throws IOException, InterruptedException {
        awaitServing();
        Node killed = cluster.leader().orElseThrow();
        killed.program().kill();
        List<Node> survivors = new ArrayList<>(cluster.nodes());
        survivors.remove(killed);
        long revision = put(survivors, "/failover/" + rounds);
        rounds++;
        List<String> followers = new ArrayList<>();
        long written = System.nanoTime();
        Node leader = cluster.leader().orElse(killed);
        for (Node node : survivors) {
            if (node != leader) {
                followers.add(await(node, revision, written));
            }
        }
        killed.program().start();
        awaitServing();
        followers.add(await(killed, revision, System.nanoTime()));
        return String.join("; ", followers);
    }

    private void awaitServing() throws IOException, InterruptedException {
        if (!cluster.awaitServing(SERVING_MAX)) {
            throw new IOException("the cluster does not serve after " + SERVING_MAX);
        }
    }

    private String await(Node node, long revision, long since) throws InterruptedException {
        long shown = node.revision();
        while (shown < revision && System.nanoTime() - since < WAIT_NANOS_MAX) {
            Thread.sleep(5);
            shown = node.revision();
        }
        double millis = (System.nanoTime() - since) / 1e6;
        slowest = Math.max(slowest, millis);
        late += millis > SHOWN_MILLIS_MAX ? 1 : 0;
        return String.format(
                Locale.ROOT,
                "%s %s %.0f ms",
                node.name(),
                shown < revision ? "does not show the write in" : "shows the write after",
                millis);
    }

    /** Puts until a node says that it is done; the revision. */
    private static long put(List<Node> nodes, String key) throws IOException, InterruptedException {
        List<ManagedChannel> channels = nodes.stream().map(Node::directChannel).toList();
        try {
            long deadline = System.nanoTime() + SERVING_MAX.toNanos();
            for (int attempt = 0; System.nanoTime() < deadline; attempt++) {
                try {
                    return KVGrpc.newBlockingStub(channels.get(attempt % channels.size()))
                            .withDeadlineAfter(CALL_MILLIS_MAX, TimeUnit.MILLISECONDS)
                            .put(
                                    PutRequest.newBuilder()
                                            .setKey(ByteString.copyFromUtf8(key))
                                            .build())
                            .getHeader()
                            .getRevision();
                } catch (StatusRuntimeException e) {
                    Thread.sleep(20);
                }
            }
            throw new IOException("no put succeeds");
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    /** How many times a follower took longer than a second. */
    int late() {
        return late;
    }

    /** All rounds together. */
    String text() {
        return String.format(
                Locale.ROOT,
                "%d rounds of failover (kill -9 of the leader, then one write): followers show it"
                        + " after up to %.0f ms; not within %.0f ms: %d of %d",
                rounds,
                slowest,
                SHOWN_MILLIS_MAX,
                late,
                2 * rounds);
    }
}
