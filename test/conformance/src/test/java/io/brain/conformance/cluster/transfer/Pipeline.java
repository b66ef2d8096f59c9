package io.brain.conformance.cluster.transfer;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.TxnRequest;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Sends many calls at a time, in no certain order. Used by one thread. */
final class Pipeline {
    private static final int IN_FLIGHT_MAX = 512;

    private final KVGrpc.KVFutureStub kv;
    private final LeaseGrpc.LeaseFutureStub leases;
    private final Semaphore free = new Semaphore(IN_FLIGHT_MAX);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    Pipeline(EtcdClient client) {
        this.kv = KVGrpc.newFutureStub(client.channel());
        this.leases = LeaseGrpc.newFutureStub(client.channel());
    }

    void put(PutRequest put) throws InterruptedException {
        free.acquire();
        track(kv.put(put));
    }

    void delete(ByteString key) throws InterruptedException {
        free.acquire();
        track(kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(key).build()));
    }

    void txn(TxnRequest txn) throws InterruptedException {
        free.acquire();
        track(kv.txn(txn));
    }

    void grant(long id, long ttlSeconds) throws InterruptedException {
        free.acquire();
        track(
                leases.leaseGrant(
                        LeaseGrantRequest.newBuilder().setID(id).setTTL(ttlSeconds).build()));
    }

    /** Puts random values at keys with a prefix and the numbers from 0 on. */
    void fill(String prefix, int keys, int valueBytes, Random random) throws InterruptedException {
        byte[] value = new byte[valueBytes];
        for (int i = 0; i < keys; i++) {
            random.nextBytes(value);
            put(
                    PutRequest.newBuilder()
                            .setKey(Keys.of(prefix + i))
                            .setValue(ByteString.copyFrom(value))
                            .build());
        }
        settle();
    }

    /** Waits for all answers; fails if one of them was an error. */
    void settle() throws InterruptedException {
        free.acquire(IN_FLIGHT_MAX);
        free.release(IN_FLIGHT_MAX);
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
    }

    private <T> void track(ListenableFuture<T> answer) {
        Futures.addCallback(
                answer,
                new FutureCallback<T>() {
                    @Override
                    public void onSuccess(T result) {
                        free.release();
                    }

                    @Override
                    public void onFailure(Throwable error) {
                        failure.compareAndSet(null, error);
                        free.release();
                    }
                },
                MoreExecutors.directExecutor());
    }
}
