package io.brain.server.etcd;

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
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Makes the common calls as a client, so that their classes are loaded. */
public final class WarmUp {
    private static final long SECONDS_MAX = 20;
    private static final ByteString KEY = ByteString.copyFromUtf8("/warm-up/a");

    private WarmUp() {}

    /**
     * Makes the calls to a local server. Deletes the keys that it writes.
     *
     * @throws io.grpc.StatusRuntimeException if a call fails or times out
     */
    public static void run(InetSocketAddress server) throws InterruptedException {
        String target = server.getAddress().getHostAddress() + ":" + server.getPort();
        ManagedChannel channel =
                Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
        try {
            leases(channel);
            watches(channel);
            maintenance(channel);
        } finally {
            channel.shutdownNow().awaitTermination(SECONDS_MAX, TimeUnit.SECONDS);
        }
    }

    /** Puts, reads, updates and deletes a key. */
    private static void keys(ManagedChannel channel, long lease) {
        KVGrpc.KVBlockingStub kv =
                KVGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS);
        PutRequest put = PutRequest.newBuilder().setKey(KEY).setValue(KEY).setLease(lease).build();
        kv.put(put);
        ByteString end = ByteString.copyFromUtf8("/warm-up0");
        kv.range(RangeRequest.newBuilder().setKey(KEY).build());
        kv.range(RangeRequest.newBuilder().setKey(KEY).setRangeEnd(end).setLimit(10).build());
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
        WatchCreateRequest all =
                WatchCreateRequest.newBuilder()
                        .setKey(KEY)
                        .setStartRevision(1)
                        .setPrevKv(true)
                        .build();
        exchange(
                WatchGrpc.newBlockingV2Stub(channel)
                        .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS)
                        .watch(),
                WatchRequest.newBuilder().setCreateRequest(all).build(),
                2);
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
