package io.brain.conformance.lock;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.Compare.CompareTarget;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.lock.LockGrpc;
import io.brain.proto.lock.LockRequest;
import io.brain.proto.lock.LockResponse;
import io.brain.proto.lock.UnlockRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Clients that wait for one lock. Each owner writes to a fenced key, by a transaction that succeeds
 * only while its own key exists, then unlocks. Calls that fail are repeated with the same lease.
 */
final class LockContest implements AutoCloseable {
    private static final ByteString FENCED = ByteString.copyFromUtf8("fenced");
    private static final long LEASE_SECONDS = 600;
    private static final long PAUSE_MILLIS = 50;

    private final List<Channel> channels;
    private final ByteString name;
    private final ScheduledExecutorService threads =
            new ScheduledThreadPoolExecutor(8, new ThreadPoolExecutor.DiscardPolicy());
    private final Queue<Owner> owners = new ConcurrentLinkedQueue<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger holding = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final CountDownLatch left;

    /**
     * One ownership.
     *
     * @param createRevision of the owner's key: the fencing token
     * @param revision of its write
     * @param nanos time of its answer, by {@link System#nanoTime}
     */
    record Owner(long createRevision, long revision, long nanos) {}

    /**
     * Starts the waiters; they share the channels.
     *
     * @param firstLease id; the others follow
     */
    LockContest(List<Channel> channels, String name, int waiters, long firstLease) {
        this.channels = List.copyOf(channels);
        this.name = ByteString.copyFromUtf8(name);
        this.left = new CountDownLatch(waiters);
        for (int i = 0; i < waiters; i++) {
            long lease = firstLease + i;
            Channel channel = channels.get(i % channels.size());
            var unused =
                    repeat(
                            () ->
                                    LeaseGrpc.newBlockingStub(channel)
                                            .leaseGrant(
                                                    LeaseGrantRequest.newBuilder()
                                                            .setID(lease)
                                                            .setTTL(LEASE_SECONDS)
                                                            .build()));
            lock(channel, lease);
        }
    }

    /** Owners so far, in order of their writes. */
    List<Owner> owners() {
        List<Owner> sorted = new ArrayList<>(owners);
        sorted.sort(Comparator.comparingLong(Owner::revision));
        return sorted;
    }

    /** What no correct lock allows. */
    List<String> violations() {
        List<String> found = new ArrayList<>(violations);
        List<Owner> sorted = owners();
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).createRevision() <= sorted.get(i - 1).createRevision()) {
                found.add("out of order: " + sorted.get(i - 1) + ", " + sorted.get(i));
            }
        }
        return found;
    }

    /** Number of calls that failed and were repeated. */
    int failures() {
        return failures.get();
    }

    /** Number of keys of the lock. */
    long keys() {
        RangeRequest request =
                RangeRequest.newBuilder()
                        .setKey(name.concat(ByteString.copyFromUtf8("/")))
                        .setRangeEnd(name.concat(ByteString.copyFromUtf8("0")))
                        .setCountOnly(true)
                        .build();
        return repeat(() -> KVGrpc.newBlockingStub(channels.get(0)).range(request)).getCount();
    }

    /** Waits until each waiter was an owner once. */
    boolean awaitAll(long seconds) throws InterruptedException {
        return left.await(seconds, TimeUnit.SECONDS);
    }

    private void lock(Channel channel, long lease) {
        LockRequest request = LockRequest.newBuilder().setName(name).setLease(lease).build();
        Futures.addCallback(
                LockGrpc.newFutureStub(channel).lock(request),
                new FutureCallback<>() {
                    @Override
                    public void onSuccess(LockResponse locked) {
                        own(channel, locked.getKey());
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        failures.incrementAndGet();
                        var unused =
                                threads.schedule(
                                        () -> lock(channel, lease),
                                        PAUSE_MILLIS,
                                        TimeUnit.MILLISECONDS);
                    }
                },
                threads);
    }

    private void own(Channel channel, ByteString key) {
        long now = System.nanoTime();
        if (holding.incrementAndGet() != 1) {
            violations.add("two owners at a time, one of them " + key.toStringUtf8());
        }
        TxnRequest write =
                TxnRequest.newBuilder()
                        .addCompare(
                                Compare.newBuilder()
                                        .setKey(key)
                                        .setTarget(CompareTarget.CREATE)
                                        .setResult(Compare.CompareResult.GREATER))
                        .addSuccess(
                                RequestOp.newBuilder()
                                        .setRequestPut(
                                                PutRequest.newBuilder()
                                                        .setKey(FENCED)
                                                        .setValue(key)))
                        .addSuccess(
                                RequestOp.newBuilder()
                                        .setRequestRange(RangeRequest.newBuilder().setKey(key)))
                        .build();
        TxnResponse written = repeat(() -> KVGrpc.newBlockingStub(channel).txn(write));
        if (written.getSucceeded()) {
            long created = written.getResponses(1).getResponseRange().getKvs(0).getCreateRevision();
            owners.add(new Owner(created, written.getHeader().getRevision(), now));
        } else {
            violations.add("an owner without a key: " + key.toStringUtf8());
        }
        holding.decrementAndGet();
        UnlockRequest unlock = UnlockRequest.newBuilder().setKey(key).build();
        var unused = repeat(() -> LockGrpc.newBlockingStub(channel).unlock(unlock));
        left.countDown();
    }

    private <T> T repeat(Supplier<T> call) {
        while (true) {
            try {
                return call.get();
            } catch (StatusRuntimeException failure) {
                if (failure.getStatus().getDescription() != null
                        && failure.getStatus().getDescription().contains("already exists")) {
                    return null;
                }
                failures.incrementAndGet();
                try {
                    Thread.sleep(PAUSE_MILLIS);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw failure;
                }
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
