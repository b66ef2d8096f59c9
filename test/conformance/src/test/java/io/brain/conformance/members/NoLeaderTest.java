package io.brain.conformance.members;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Peer;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthUserListRequest;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberListResponse;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What the last of three servers answers while nobody leads (cases 119 and 120). etcd's has lost
 * its quorum; one of Brain's would lead alone, so its leader has a long lease that has to pass.
 */
@Tag("peer")
@Isolated
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class NoLeaderTest {

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(5);
    private static final long ANSWER_SECONDS_MAX = 20;
    private static final long END_SECONDS_MAX = 60;
    private static final ByteString KEY = ByteString.copyFromUtf8("k");
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void brainAnswersAsEtcdDoes() throws Exception {
        var unused = Peer.ETCD.require();
        Peer.requireTikv();
        Map<String, String> etcd = answers(Target.ETCD);
        Map<String, String> brain = answers(Target.BRAIN);
        String watch = "watch that ran, wants a leader";
        etcd.put(watch, endOfWatch(Target.ETCD));
        brain.put(watch, endOfWatch(Target.BRAIN));
        System.out.println("summary: no leader (119, 120): " + brain);
        assertThat(brain).isEqualTo(etcd);
    }

    private Map<String, String> answers(Target target) throws Exception {
        Path home = Files.createDirectories(directory.resolve(target.name()));
        try (Cluster cluster = Cluster.start(target, home, LEASE)) {
            List<Node> nodes = leaderFirst(cluster);
            ManagedChannel channel = nodes.get(2).channel();
            try {
                return answers(channel, nodes.subList(0, 2));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    /** How a watch that wants a leader ends, when the leader is lost and none follows. */
    private String endOfWatch(Target target) throws Exception {
        Path home = Files.createDirectories(directory.resolve("watch-" + target.name()));
        try (Cluster cluster = Cluster.start(target, home, SHORT_LEASE)) {
            List<Node> nodes = leaderFirst(cluster);
            ManagedChannel channel = nodes.get(2).channel();
            try {
                KVGrpc.newBlockingStub(channel).put(put());
                CompletableFuture<String> running =
                        watch(ClientInterceptors.intercept(channel, hasLeader()));
                if (target == Target.BRAIN) { // the last one would lead
                    for (Program store : cluster.bed().orElseThrow().stores()) {
                        store.pause();
                    }
                }
                long since = System.nanoTime();
                nodes.get(0).program().kill();
                nodes.get(1).program().kill();
                awaitNoLeader(channel);
                String end = running.get(END_SECONDS_MAX, TimeUnit.SECONDS);
                assertThat(System.nanoTime() - since)
                        .as("an election's time is waited for first")
                        .isGreaterThan(TimeUnit.SECONDS.toNanos(1));
                return end;
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static List<Node> leaderFirst(Cluster cluster) throws Exception {
        Node leader = cluster.awaitLeader();
        List<Node> nodes = new ArrayList<>(cluster.nodes());
        nodes.remove(leader);
        nodes.add(0, leader);
        return nodes;
    }

    private static Map<String, String> answers(Channel channel, List<Node> dying) throws Exception {
        Channel needsLeader = ClientInterceptors.intercept(channel, hasLeader());
        KVGrpc.newBlockingStub(channel).put(put());
        long lease =
                LeaseGrpc.newBlockingStub(channel)
                        .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(300).build())
                        .getID();
        for (Node node : dying) {
            node.program().kill();
        }
        awaitNoLeader(channel);
        Map<String, Callable<String>> calls = calls(channel, needsLeader, lease);
        ExecutorService callers = Executors.newFixedThreadPool(calls.size());
        try {
            Map<String, Future<String>> asked = new TreeMap<>();
            calls.forEach((name, call) -> asked.put(name, callers.submit(call)));
            Map<String, String> answers = new TreeMap<>();
            for (var entry : asked.entrySet()) {
                answers.put(entry.getKey(), answer(entry.getKey(), entry.getValue()));
            }
            // By itself: etcd has one such question wait for the other.
            answers.put("members, linearizable", end(() -> members(channel)));
            return answers;
        } finally {
            callers.shutdownNow();
        }
    }

    private static String answer(String name, Future<String> call) throws Exception {
        try {
            return call.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (TimeoutException none) {
            throw new AssertionError(name + " is not answered", none);
        }
    }

    private static Map<String, Callable<String>> calls(
            Channel channel, Channel needsLeader, long lease) {
        Map<String, Callable<String>> calls = new TreeMap<>();
        calls.put("put", () -> end(() -> KVGrpc.newBlockingStub(channel).put(put())));
        calls.put("range", () -> end(() -> KVGrpc.newBlockingStub(channel).range(range(false))));
        calls.put(
                "range, serializable",
                () -> end(() -> KVGrpc.newBlockingStub(channel).range(range(true))));
        calls.put(
                "range, serializable, wants a leader",
                () -> end(() -> KVGrpc.newBlockingStub(needsLeader).range(range(true))));
        calls.put(
                "grant",
                () ->
                        end(
                                () ->
                                        LeaseGrpc.newBlockingStub(channel)
                                                .leaseGrant(
                                                        LeaseGrantRequest.newBuilder()
                                                                .setTTL(9)
                                                                .build())));
        calls.put(
                "time to live",
                () ->
                        end(
                                () ->
                                        LeaseGrpc.newBlockingStub(channel)
                                                .leaseTimeToLive(
                                                        LeaseTimeToLiveRequest.newBuilder()
                                                                .setID(lease)
                                                                .build())));
        calls.put(
                "auth status",
                () ->
                        end(
                                () ->
                                        AuthGrpc.newBlockingStub(channel)
                                                .authStatus(
                                                        AuthStatusRequest.getDefaultInstance())));
        calls.put(
                "users",
                () ->
                        end(
                                () ->
                                        AuthGrpc.newBlockingStub(channel)
                                                .userList(
                                                        AuthUserListRequest.getDefaultInstance())));
        calls.put("watch, wants a leader", () -> timed(watch(needsLeader)::join));
        calls.put("status", () -> status(channel));
        return calls;
    }

    private static void awaitNoLeader(Channel channel) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS_MAX);
        while (MaintenanceGrpc.newBlockingStub(channel)
                        .status(StatusRequest.getDefaultInstance())
                        .getLeader()
                != 0) {
            assertThat(System.nanoTime()).as("the leader is missed").isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private static MemberListResponse members(Channel channel) {
        return ClusterGrpc.newBlockingStub(channel)
                .memberList(MemberListRequest.newBuilder().setLinearizable(true).build());
    }

    private static String status(Channel channel) {
        var status =
                MaintenanceGrpc.newBlockingStub(channel).status(StatusRequest.getDefaultInstance());
        return "leader " + status.getLeader() + ", errors " + status.getErrorsList();
    }

    private static CompletableFuture<String> watch(Channel channel) {
        CompletableFuture<String> ended = new CompletableFuture<>();
        StreamObserver<WatchRequest> requests =
                WatchGrpc.newStub(channel)
                        .watch(
                                new StreamObserver<WatchResponse>() {
                                    @Override
                                    public void onNext(WatchResponse response) {}

                                    @Override
                                    public void onError(Throwable failure) {
                                        Status status = Status.fromThrowable(failure);
                                        ended.complete(text(status));
                                    }

                                    @Override
                                    public void onCompleted() {
                                        ended.complete("completed");
                                    }
                                });
        requests.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder().setKey(KEY))
                        .build());
        return ended;
    }

    private static String end(Callable<?> call) throws Exception {
        return timed(
                () -> {
                    try {
                        var unused = call.call();
                        return "answered";
                    } catch (StatusRuntimeException refused) {
                        return text(refused.getStatus());
                    }
                });
    }

    /** How something ends, and whether at once or when etcd's time for a request is over. */
    private static String timed(Callable<String> call) throws Exception {
        long since = System.nanoTime();
        String end = call.call();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        // Whoever waits waits for 7 s at least; a busy machine adds to both.
        String when = millis < 6_500 ? "soon" : millis < 17_000 ? "after 7 s" : millis + " ms";
        return end + ", " + when;
    }

    private static String text(Status status) {
        return status.getCode() + " " + status.getDescription();
    }

    private static io.grpc.ClientInterceptor hasLeader() {
        Metadata wish = new Metadata();
        wish.put(HAS_LEADER, "true");
        return MetadataUtils.newAttachHeadersInterceptor(wish);
    }

    private static PutRequest put() {
        return PutRequest.newBuilder().setKey(KEY).setValue(KEY).build();
    }

    private static RangeRequest range(boolean serializable) {
        return RangeRequest.newBuilder().setKey(KEY).setSerializable(serializable).build();
    }
}
