package io.brain.conformance.failover;

import com.google.protobuf.ByteString;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Takes the leader away, again and again, under clients and watchers. For one thread. */
final class Rounds implements AutoCloseable {

    private static final Duration SERVING_MAX = Duration.ofSeconds(60);
    private static final Duration WATCHERS_MAX = Duration.ofSeconds(60);
    private static final long CALL_SECONDS_MAX = 5;
    private static final int FAULT_FREE_MILLIS = 700;

    private final Cluster cluster;
    private final Probe ofLeader;
    private final Probe ofFollower;
    private final List<ManagedChannel> channels;
    private final Fleet fleet;

    Rounds(Cluster cluster, int watchers) throws IOException, InterruptedException {
        this.cluster = cluster;
        this.channels = cluster.nodes().stream().map(Node::channel).toList();
        this.ofLeader = new Probe("leader", cluster.nodes());
        this.ofFollower = new Probe("follower", cluster.nodes());
        long revision = put(ByteString.copyFromUtf8("/begin"));
        this.fleet = new Fleet(cluster.nodes(), watchers, revision + 1);
        start(ofLeader, "probe-of-leader");
        start(ofFollower, "probe-of-follower");
        rollCall();
    }

    private static void start(Probe probe, String name) {
        Thread thread = new Thread(probe, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** One round; its figures go to the series. */
    void round(Series series) throws IOException, InterruptedException {
        Node leader = calm();
        int home = cluster.nodes().indexOf(leader);
        KubeStream.Noticed before = fleet.noticed();
        ofLeader.begin(home);
        ofFollower.begin((home + 1) % cluster.nodes().size());
        Thread.sleep(FAULT_FREE_MILLIS);
        series.disruption().inject(cluster, leader);
        var unused = put(fleet.objects().get(0));
        awaitAnother(leader);
        awaitSuccesses();
        double leaderMillis = ofLeader.longestGapMillis();
        double followerMillis = ofFollower.longestGapMillis();
        long failures = ofLeader.failures() + ofFollower.failures();
        series.disruption().heal(leader);
        int behind = rollCall();
        series.add(leaderMillis, followerMillis, failures, fleet.noticed().minus(before), behind);
    }

    /** All serve; who leads. */
    private Node calm() throws IOException, InterruptedException {
        if (!cluster.awaitServing(SERVING_MAX)) {
            throw new IOException("the cluster does not serve after " + SERVING_MAX);
        }
        fleet.goHome();
        Thread.sleep(FAULT_FREE_MILLIS);
        return cluster.leader().orElseThrow(() -> new IOException("nobody leads"));
    }

    private void awaitAnother(Node old) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + SERVING_MAX.toNanos();
        Optional<Node> leader = cluster.leader();
        while (leader.isEmpty() || leader.get() == old) {
            if (System.nanoTime() > deadline) {
                throw new IOException("nobody took over from " + old.name());
            }
            Thread.sleep(50);
            leader = cluster.leader();
        }
    }

    /** Both clients have had success again. */
    private void awaitSuccesses() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + SERVING_MAX.toNanos();
        long first = ofLeader.successes();
        long second = ofFollower.successes();
        while (ofLeader.successes() < first + 2 || ofFollower.successes() < second + 2) {
            if (System.nanoTime() > deadline) {
                throw new IOException("clients have no success after " + SERVING_MAX);
            }
            Thread.sleep(20);
        }
    }

    /** Changes every object and waits for all watchers; how many were not told in time. */
    private int rollCall() throws IOException, InterruptedException {
        long first = Long.MAX_VALUE;
        for (ByteString object : fleet.objects()) {
            first = Math.min(first, put(object));
        }
        return fleet.await(first, WATCHERS_MAX);
    }

    /** Puts, again and again until a node says that it is done; the revision. */
    private long put(ByteString key) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + SERVING_MAX.toNanos();
        for (int attempt = 0; System.nanoTime() < deadline; attempt++) {
            ManagedChannel channel = channels.get(attempt % channels.size());
            channel.resetConnectBackoff();
            try {
                return KVGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
                        .put(PutRequest.newBuilder().setKey(key).setValue(key).build())
                        .getHeader()
                        .getRevision();
            } catch (StatusRuntimeException e) {
                Thread.sleep(50);
            }
        }
        throw new IOException("no put succeeds");
    }

    @Override
    public void close() {
        ofLeader.stop();
        ofFollower.stop();
        fleet.close();
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
