package io.brain.conformance.members;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.StatusResponse;
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
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Streams and calls to a member that is cut off meanwhile, and how each of them ends. */
final class CutOffCalls implements AutoCloseable {
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);
    private static final ByteString KEY = ByteString.copyFromUtf8("k");
    private static final long OPEN_SECONDS_MAX = 20;
    private static final long RENEWAL_MILLIS = 500;

    /** By then nobody leads here any more, in etcd's and in Brain's opinion. */
    private static final long LATER_SECONDS = 15;

    private static final long END_SECONDS_MAX = 30;

    private final Node hit;
    private final Node other;
    private final ManagedChannel plain;
    private final Channel requiresLeader;
    private final ExecutorService callers = Executors.newCachedThreadPool(CutOffCalls::daemon);
    private final Map<String, CompletableFuture<End>> streams = new LinkedHashMap<>();
    private CountDownLatch opening;
    private long lease;
    private long member;
    private volatile long cut = System.nanoTime();

    /**
     * How a call ended.
     *
     * @param seconds since the cut for a stream, since its own begin for any other
     */
    record End(double seconds, String text) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.1f s: %s", seconds, text);
        }
    }

    /** What a call does. */
    private interface Call {
        void run() throws StatusRuntimeException;
    }

    /**
     * @param hit the member that is about to be cut off
     * @param other one that is not
     */
    CutOffCalls(Node hit, Node other) {
        this.hit = hit;
        this.other = other;
        this.plain = hit.channel();
        Metadata wish = new Metadata();
        wish.put(HAS_LEADER, "true");
        this.requiresLeader =
                ClientInterceptors.intercept(
                        plain, MetadataUtils.newAttachHeadersInterceptor(wish));
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "cut-off-call");
        thread.setDaemon(true);
        return thread;
    }

    /** Opens the streams, and returns when each has been answered. */
    void open() throws InterruptedException {
        put(plain);
        lease = grant();
        member = hit.status().orElseThrow().getHeader().getMemberId();
        opening = new CountDownLatch(4);
        streams.put("watch, hasleader, open before", watch(requiresLeader));
        streams.put("watch, open before", watch(plain));
        streams.put("keep-alive, hasleader, open before", keepAlive(requiresLeader));
        streams.put("keep-alive, open before", keepAlive(plain));
        if (!opening.await(OPEN_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the streams are not answered");
        }
    }

    /** Called right after the cut: makes all other calls, and waits for all ends. */
    Map<String, End> ends() throws InterruptedException {
        cut = System.nanoTime();
        Map<String, CompletableFuture<End>> ends = new LinkedHashMap<>();
        ends.put("status names no leader", says(hit, status -> status.getLeader() == 0));
        ends.put(
                "status elsewhere names another leader",
                says(other, status -> status.getLeader() != 0 && status.getLeader() != member));
        ends.putAll(streams);
        ends.put("put, at once", call(() -> put(plain)));
        ends.put("get, at once", call(() -> get(plain, false)));
        ends.put("keep-alive, new stream, at once", timed(this::renewOnce));
        TimeUnit.SECONDS.sleep(LATER_SECONDS);
        ends.put("put, later", call(() -> put(plain)));
        ends.put("get, later", call(() -> get(plain, false)));
        ends.put("get, serializable, later", call(() -> get(plain, true)));
        ends.put("get, serializable, hasleader, later", call(() -> get(requiresLeader, true)));
        ends.put("grant, later", call(this::grant));
        ends.put("time to live, later", call(this::timeToLive));
        ends.put("keep-alive, new stream, later", timed(this::renewOnce));
        ends.put(
                "watch, hasleader, new stream, later",
                timed(() -> watch(requiresLeader).join().text()));
        TimeUnit.SECONDS.sleep(END_SECONDS_MAX - LATER_SECONDS);
        Map<String, End> found = new LinkedHashMap<>();
        End open = new End(END_SECONDS_MAX, "not ended");
        ends.forEach((name, end) -> found.put(name, end.getNow(open)));
        return found;
    }

    /** When a member's status is first as wanted. */
    private CompletableFuture<End> says(Node node, Predicate<StatusResponse> wanted) {
        return timed(
                () -> {
                    Optional<StatusResponse> status = node.status();
                    while (status.isEmpty() || !wanted.test(status.get())) {
                        pause(50);
                        status = node.status();
                    }
                    return "yes";
                });
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ended);
        }
    }

    private CompletableFuture<End> call(Call call) {
        return timed(
                () -> {
                    try {
                        call.run();
                        return "answered";
                    } catch (StatusRuntimeException refused) {
                        return text(refused.getStatus());
                    }
                });
    }

    private CompletableFuture<End> timed(Supplier<String> what) {
        long since = System.nanoTime();
        return CompletableFuture.supplyAsync(
                () -> {
                    String text = what.get();
                    return new End(secondsSince(since), text);
                },
                callers);
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private static String text(Status status) {
        return status.getCode() + " " + status.getDescription();
    }

    private static void put(Channel channel) {
        var unused =
                KVGrpc.newBlockingStub(channel)
                        .put(PutRequest.newBuilder().setKey(KEY).setValue(KEY).build());
    }

    private static void get(Channel channel, boolean serializable) {
        var unused =
                KVGrpc.newBlockingStub(channel)
                        .range(
                                RangeRequest.newBuilder()
                                        .setKey(KEY)
                                        .setSerializable(serializable)
                                        .build());
    }

    private long grant() {
        return LeaseGrpc.newBlockingStub(plain)
                .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(300).build())
                .getID();
    }

    private void timeToLive() {
        var unused =
                LeaseGrpc.newBlockingStub(plain)
                        .leaseTimeToLive(LeaseTimeToLiveRequest.newBuilder().setID(lease).build());
    }

    private CompletableFuture<End> watch(Channel channel) {
        Ending<WatchResponse> ending = new Ending<>();
        StreamObserver<WatchRequest> requests = WatchGrpc.newStub(channel).watch(ending);
        requests.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder().setKey(KEY))
                        .build());
        return ending.end;
    }

    private CompletableFuture<End> keepAlive(Channel channel) {
        Ending<LeaseKeepAliveResponse> ending = new Ending<>();
        StreamObserver<LeaseKeepAliveRequest> requests =
                LeaseGrpc.newStub(channel).leaseKeepAlive(ending);
        callers.execute(
                () -> {
                    while (!ending.end.isDone()) {
                        requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
                        pause(RENEWAL_MILLIS);
                    }
                });
        return ending.end;
    }

    /** How a stream goes on that asks for one renewal. */
    private String renewOnce() {
        CompletableFuture<String> first = new CompletableFuture<>();
        StreamObserver<LeaseKeepAliveRequest> requests =
                LeaseGrpc.newStub(plain)
                        .leaseKeepAlive(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(LeaseKeepAliveResponse answer) {
                                        first.complete("answered");
                                    }

                                    @Override
                                    public void onError(Throwable failure) {
                                        first.complete(text(Status.fromThrowable(failure)));
                                    }

                                    @Override
                                    public void onCompleted() {
                                        first.complete("completed");
                                    }
                                });
        requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
        return first.join();
    }

    @Override
    public void close() {
        callers.shutdownNow();
        plain.shutdownNow();
    }

    /** Notes how a stream ends. */
    private final class Ending<T> implements StreamObserver<T> {
        private final CompletableFuture<End> end = new CompletableFuture<>();
        private boolean answered;

        @Override
        public void onNext(T answer) {
            if (!answered) {
                answered = true;
                opening.countDown();
            }
        }

        @Override
        public void onError(Throwable failure) {
            end.complete(new End(secondsSince(cut), text(Status.fromThrowable(failure))));
        }

        @Override
        public void onCompleted() {
            end.complete(new End(secondsSince(cut), "completed"));
        }
    }
}
