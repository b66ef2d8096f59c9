package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Server;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DefragmentRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Calls of every kind that a page of metrics counts, each a few times. */
final class MeteredCalls implements AutoCloseable {
    private static final long SECONDS_MAX = 30;

    private final KVGrpc.KVBlockingStub kv;
    private final LeaseGrpc.LeaseBlockingStub leases;
    private final MaintenanceGrpc.MaintenanceBlockingStub maintenance;
    private final Answers<WatchResponse> watched = new Answers<>();
    private final Answers<LeaseKeepAliveResponse> kept = new Answers<>();
    private final StreamObserver<WatchRequest> watch;
    private final StreamObserver<LeaseKeepAliveRequest> keepAlive;

    MeteredCalls(Server server) {
        kv = KVGrpc.newBlockingStub(server.channel());
        leases = LeaseGrpc.newBlockingStub(server.channel());
        maintenance = MaintenanceGrpc.newBlockingStub(server.channel());
        watch = WatchGrpc.newStub(server.channel()).watch(watched);
        keepAlive = LeaseGrpc.newStub(server.channel()).leaseKeepAlive(kept);
    }

    /** Makes them all; the watch is still open afterwards. */
    void all() throws InterruptedException {
        kv.put(put("before", "1"));
        watch.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder().setKey(bytes("w")))
                        .build());
        watched.next();
        for (int i = 0; i < 3; i++) {
            kv.put(put("w", "value " + i));
            assertThat(watched.next().getEventsCount()).isOne();
        }
        kv.put(put("a", "1").toBuilder().setPrevKv(true).build());
        kv.range(RangeRequest.newBuilder().setKey(bytes("a")).build());
        kv.range(RangeRequest.newBuilder().setKey(bytes("a")).setSerializable(true).build());
        transactions();
        kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("a")).build());
        kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("a")).build());
        kv.compact(CompactionRequest.newBuilder().setRevision(4).setPhysical(true).build());
        assertThatThrownBy(
                        () ->
                                kv.range(
                                        RangeRequest.newBuilder()
                                                .setKey(bytes("a"))
                                                .setRevision(2)
                                                .build()))
                .isInstanceOf(StatusRuntimeException.class);
        leases();
        maintenance.alarm(AlarmRequest.getDefaultInstance());
        maintenance.status(StatusRequest.getDefaultInstance());
        maintenance.hash(HashRequest.getDefaultInstance());
        maintenance.hashKV(HashKVRequest.getDefaultInstance());
        maintenance.defragment(DefragmentRequest.getDefaultInstance());
    }

    private void transactions() {
        Compare.Builder missing =
                Compare.newBuilder()
                        .setKey(bytes("none"))
                        .setTarget(Compare.CompareTarget.VERSION)
                        .setVersion(0);
        RequestOp put = RequestOp.newBuilder().setRequestPut(put("t", "1")).build();
        RequestOp range =
                RequestOp.newBuilder()
                        .setRequestRange(RangeRequest.newBuilder().setKey(bytes("t")))
                        .build();
        RequestOp delete =
                RequestOp.newBuilder()
                        .setRequestDeleteRange(
                                DeleteRangeRequest.newBuilder().setKey(bytes("before")))
                        .build();
        kv.txn(
                TxnRequest.newBuilder()
                        .addCompare(missing)
                        .addSuccess(put)
                        .addSuccess(range)
                        .addSuccess(delete)
                        .build());
        kv.txn(
                TxnRequest.newBuilder()
                        .addCompare(missing.setVersion(7))
                        .addSuccess(put)
                        .addFailure(range)
                        .addFailure(
                                RequestOp.newBuilder()
                                        .setRequestTxn(TxnRequest.newBuilder().addSuccess(put)))
                        .build());
        kv.txn(TxnRequest.newBuilder().addSuccess(range).addSuccess(range).build());
    }

    private void leases() throws InterruptedException {
        leases.leaseGrant(LeaseGrantRequest.newBuilder().setID(7).setTTL(100).build());
        keepAlive.onNext(LeaseKeepAliveRequest.newBuilder().setID(7).build());
        kept.next();
        leases.leaseRevoke(LeaseRevokeRequest.newBuilder().setID(7).build());
        assertThatThrownBy(
                        () -> leases.leaseRevoke(LeaseRevokeRequest.newBuilder().setID(7).build()))
                .isInstanceOf(StatusRuntimeException.class);
    }

    @Override
    public void close() {
        watch.onCompleted();
        keepAlive.onCompleted();
    }

    private static PutRequest put(String key, String value) {
        return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build();
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** What a stream answers, in order. */
    private static final class Answers<T> implements StreamObserver<T> {
        private final BlockingQueue<T> answers = new LinkedBlockingQueue<>();

        @Override
        public void onNext(T answer) {
            answers.add(answer);
        }

        @Override
        public void onError(Throwable failure) {
            // The test misses its answer.
        }

        @Override
        public void onCompleted() {
            // Nothing follows.
        }

        T next() throws InterruptedException {
            T answer = answers.poll(SECONDS_MAX, TimeUnit.SECONDS);
            assertThat(answer).as("an answer").isNotNull();
            return answer;
        }
    }
}
