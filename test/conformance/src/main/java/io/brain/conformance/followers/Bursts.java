package io.brain.conformance.followers;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Bursts of parallel puts through the leader, more bytes than one update to a follower has, each
 * followed by silence. For one thread.
 */
final class Bursts {

    private static final Duration SERVING_MAX = Duration.ofSeconds(60);
    private static final int PUTS = 24;
    private static final int VALUE_BYTES = 100 << 10;
    private static final int SILENCE_MILLIS = 2_000;
    private static final long CALL_SECONDS_MAX = 10;
    private static final double READ_MILLIS_MAX = 1_000;

    private final Cluster cluster;
    private int bursts;
    private int behind;
    private int slow;
    private long furthest;
    private double slowest;

    Bursts(Cluster cluster) {
        this.cluster = cluster;
    }

    /** One burst; what each follower shows after the silence. */
    String measure() throws IOException, InterruptedException {
        if (!cluster.awaitServing(SERVING_MAX)) {
            throw new IOException("the cluster does not serve after " + SERVING_MAX);
        }
        Node leader = cluster.leader().orElseThrow();
        long newest = put(leader);
        bursts++;
        Thread.sleep(SILENCE_MILLIS);
        List<String> followers = new ArrayList<>();
        for (Node node : cluster.nodes()) {
            if (node != leader) {
                followers.add(measure(node, newest));
            }
        }
        return String.join("; ", followers);
    }

    private String measure(Node follower, long newest) {
        long missing = newest - follower.revision();
        long start = System.nanoTime();
        boolean answered = follower.serves();
        double millis = (System.nanoTime() - start) / 1e6;
        behind += missing > 0 ? 1 : 0;
        slow += !answered || millis > READ_MILLIS_MAX ? 1 : 0;
        furthest = Math.max(furthest, missing);
        slowest = Math.max(slowest, millis);
        return String.format(
                Locale.ROOT,
                "%s is %d revisions behind, a linearizable get takes %.0f ms%s",
                follower.name(),
                missing,
                millis,
                answered ? "" : " and fails");
    }

    /** The newest revision of the burst. */
    private long put(Node leader) throws IOException, InterruptedException {
        ByteString value = ByteString.copyFrom(new byte[VALUE_BYTES]);
        ManagedChannel channel = leader.directChannel();
        try {
            List<ListenableFuture<PutResponse>> puts = new ArrayList<>();
            for (int i = 0; i < PUTS; i++) {
                puts.add(
                        KVGrpc.newFutureStub(channel)
                                .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
                                .put(
                                        PutRequest.newBuilder()
                                                .setKey(ByteString.copyFromUtf8("/burst/" + i))
                                                .setValue(value)
                                                .build()));
            }
            long newest = 0;
            for (ListenableFuture<PutResponse> put : puts) {
                newest = Math.max(newest, put.get().getHeader().getRevision());
            }
            return newest;
        } catch (ExecutionException e) {
            throw new IOException("a put of the burst fails", e);
        } finally {
            channel.shutdownNow();
        }
    }

    /** How many times a follower was behind, or slow, after the silence. */
    int late() {
        return behind + slow;
    }

    /** All bursts together. */
    String text() {
        return String.format(
                Locale.ROOT,
                "%d bursts of %d puts of %d KiB, %d ms later: followers behind %d times (by up to"
                        + " %d revisions), linearizable gets take up to %.0f ms (over %.0f ms: %d)",
                bursts,
                PUTS,
                VALUE_BYTES >> 10,
                SILENCE_MILLIS,
                behind,
                furthest,
                slowest,
                READ_MILLIS_MAX,
                slow);
    }
}
