package io.brain.server.warmup;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Makes the common calls as a client, so that the JVM loads and compiles what serves them. */
public final class WarmUp {
    private static final long SECONDS_MAX = 20;
    private static final int ROUNDS_MAX = 600;
    private static final int BURST_ROUNDS = 50;

    /** Requests in flight, so that batches have several writes. */
    private static final int IN_FLIGHT = 16;

    private static final int KEYS = 200;
    private static final int VALUE_BYTES = 500;
    private static final ByteString KEY = ByteString.copyFromUtf8("/warm-up/a");
    private static final ByteString END = ByteString.copyFromUtf8("/warm-up0");

    private WarmUp() {}

    /**
     * Makes the calls to a local server. Deletes the keys that it writes.
     *
     * @throws io.grpc.StatusRuntimeException if a call fails or times out
     */
    public static void run(InetSocketAddress server) throws InterruptedException {
        ManagedChannel channel = connect(server);
        try {
            leases(channel);
            watches(channel);
            maintenance(channel);
        } finally {
            channel.shutdownNow().awaitTermination(SECONDS_MAX, TimeUnit.SECONDS);
        }
    }

    private static ManagedChannel connect(InetSocketAddress server) {
        String target = server.getAddress().getHostAddress() + ":" + server.getPort();
        return Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    }

    /** Decides when the next requests are made. */
    interface Pace {
        /**
         * Waits.
         *
         * @param workedNanos how long the last requests took; 0 before the first
         * @return false to end
         */
        boolean await(long workedNanos) throws InterruptedException;
    }

    /**
     * Makes requests to a temporary server until the JVM has compiled them.
     *
     * @throws ExecutionException if a request fails
     */
    static void compile(InetSocketAddress server, Pace pace)
            throws InterruptedException, ExecutionException {
        ManagedChannel channel = connect(server);
        try {
            KVGrpc.KVFutureStub kv = KVGrpc.newFutureStub(channel);
            StreamObserver<WatchRequest> watch = WatchGrpc.newStub(channel).watch(new Ignored());
            watch.onNext(WatchRequest.newBuilder().setCreateRequest(watchAll()).build());
            long worked = 0;
            for (int i = 0; i < ROUNDS_MAX && pace.await(worked); i += BURST_ROUNDS) {
                long start = System.nanoTime();
                burst(kv, i);
                worked = System.nanoTime() - start;
            }
            watch.onCompleted();
        } finally {
            channel.shutdownNow().awaitTermination(SECONDS_MAX, TimeUnit.SECONDS);
        }
    }

    /** Creates or updates, gets and lists keys as kube-apiserver does, and deletes some. */
    private static void burst(KVGrpc.KVFutureStub kv, int first)
            throws InterruptedException, ExecutionException {
        Deque<ListenableFuture<?>> inFlight = new ArrayDeque<>();
        for (int i = first; i < first + BURST_ROUNDS; i++) {
            ByteString key = KEY.concat(ByteString.copyFromUtf8("/" + i % KEYS));
            RangeRequest get = RangeRequest.newBuilder().setKey(key).build();
            inFlight.add(kv.txn(createOrUpdate(key, get)));
            inFlight.add(kv.range(get));
            if (i % 5 == 0) {
                inFlight.add(
                        kv.range(
                                RangeRequest.newBuilder(get)
                                        .setRangeEnd(END)
                                        .setLimit(10)
                                        .build()));
                inFlight.add(kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(key).build()));
            }
            while (inFlight.size() > IN_FLIGHT) {
                inFlight.remove().get();
            }
        }
        for (ListenableFuture<?> left : inFlight) {
            left.get();
        }
    }

    private static TxnRequest createOrUpdate(ByteString key, RangeRequest get) {
        ByteString value = ByteString.copyFrom(new byte[VALUE_BYTES]);
        PutRequest put = PutRequest.newBuilder().setKey(key).setValue(value).build();
        Compare isNew =
                Compare.newBuilder()
                        .setKey(key)
                        .setTarget(Compare.CompareTarget.MOD)
                        .setModRevision(0)
                        .build();
        return TxnRequest.newBuilder()
                .addCompare(isNew)
                .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                .addFailure(RequestOp.newBuilder().setRequestPut(put))
                .addFailure(RequestOp.newBuilder().setRequestRange(get))
                .build();
    }

    private static final class Ignored implements StreamObserver<WatchResponse> {
        @Override
        public void onNext(WatchResponse response) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }

    /** Puts, reads, updates and deletes a key. */
    private static void keys(ManagedChannel channel, long lease) {
        KVGrpc.KVBlockingStub kv =
                KVGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS);
        PutRequest put = PutRequest.newBuilder().setKey(KEY).setValue(KEY).setLease(lease).build();
        kv.put(put);
        kv.range(RangeRequest.newBuilder().setKey(KEY).build());
        kv.range(RangeRequest.newBuilder().setKey(KEY).setRangeEnd(END).setLimit(10).build());
        Compare unchanged =
                Compare.newBuilder()
                        .setKey(KEY)
                        .setTarget(Compare.CompareTarget.VERSION)
                        .setVersion(1)
                        .build();
        kv.txn(
                TxnRequest.newBuilder()
                        .addCompare(unchanged)
                        .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                        .addFailure(
                                RequestOp.newBuilder()
                                        .setRequestRange(RangeRequest.newBuilder().setKey(KEY)))
                        .build());
        kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(KEY).build());
    }

    private static void leases(ManagedChannel channel) throws InterruptedException {
        LeaseGrpc.LeaseBlockingStub leases =
                LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS);
        long lease = leases.leaseGrant(LeaseGrantRequest.newBuilder().setTTL(60).build()).getID();
        keys(channel, lease);
        exchange(
                LeaseGrpc.newBlockingV2Stub(channel)
                        .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS)
                        .leaseKeepAlive(),
                LeaseKeepAliveRequest.newBuilder().setID(lease).build(),
                1);
        leases.leaseRevoke(LeaseRevokeRequest.newBuilder().setID(lease).build());
    }

    /** Creates a watch that replays the events of {@link #keys}. */
    private static void watches(ManagedChannel channel) throws InterruptedException {
        exchange(
                WatchGrpc.newBlockingV2Stub(channel)
                        .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS)
                        .watch(),
                WatchRequest.newBuilder().setCreateRequest(watchAll()).build(),
                2);
    }

    private static WatchCreateRequest watchAll() {
        return WatchCreateRequest.newBuilder()
                .setKey(KEY)
                .setRangeEnd(END)
                .setStartRevision(1)
                .setPrevKv(true)
                .build();
    }

    /** Sends a request on a stream, and waits for responses. */
    private static <Q, R> void exchange(BlockingClientCall<Q, R> stream, Q request, int responses)
            throws InterruptedException {
        try {
            stream.write(request);
            for (int i = 0; i < responses; i++) {
                stream.read();
            }
            stream.halfClose();
        } catch (StatusException failure) {
            throw failure.getStatus().asRuntimeException();
        }
    }

    private static void maintenance(ManagedChannel channel) {
        MaintenanceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS)
                .status(StatusRequest.getDefaultInstance());
        ClusterGrpc.newBlockingStub(channel)
                .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS)
                .memberList(MemberListRequest.getDefaultInstance());
    }
}
