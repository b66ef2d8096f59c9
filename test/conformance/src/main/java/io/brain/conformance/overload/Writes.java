package io.brain.conformance.overload;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.PutRequest;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Overload by many changes at once. */
final class Writes {

    private static final int LEASES = 50_000;
    private static final long FIRST_LEASE = 1_000_000;
    private static final int LEASE_SECONDS = 40;
    private static final int KEYS = 100_000;
    private static final long SECONDS_MAX = 65;

    private Writes() {}

    /** 50 000 leases, each with a key, that end in the same second. */
    static Scenario leases() {
        return new Scenario("50 000 leases expire", Writes::grant, Writes::awaitExpiries);
    }

    /** One request that deletes 100 000 keys. */
    static Scenario rangeDelete() {
        return new Scenario(
                "range delete of 100 000",
                target -> target.fill("many/", KEYS, 100),
                Writes::deleteAll);
    }

    private static void grant(Target target) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LEASE_SECONDS);
        target.pipelined(
                LEASES,
                i -> {
                    long left = TimeUnit.NANOSECONDS.toSeconds(end - System.nanoTime());
                    return target.lease()
                            .leaseGrant(
                                    LeaseGrantRequest.newBuilder()
                                            .setID(FIRST_LEASE + i)
                                            .setTTL(Math.max(1, left))
                                            .build());
                });
        ByteString value = Target.value(100);
        target.pipelined(
                LEASES,
                i ->
                        target.kv()
                                .put(
                                        PutRequest.newBuilder()
                                                .setKey(Target.bytes("leased/" + i))
                                                .setValue(value)
                                                .setLease(FIRST_LEASE + i)
                                                .build()));
        if (target.count("leased/") < LEASES) {
            throw new IllegalStateException("leases ended while keys were still being put");
        }
        TimeUnit.NANOSECONDS.sleep(end - System.nanoTime() - TimeUnit.SECONDS.toNanos(2));
    }

    private static void awaitExpiries(Target target) throws InterruptedException, TimeoutException {
        AtomicLong left = new AtomicLong(LEASES);
        try {
            target.await(
                    SECONDS_MAX,
                    () -> {
                        left.set(target.count("leased/"));
                        return left.get() == 0;
                    });
        } catch (TimeoutException late) {
            throw new TimeoutException(
                    late.getMessage()
                            + ", about "
                            + (left.get() + 2_500) / 5_000 * 5
                            + " 000 left");
        }
    }

    private static void deleteAll(Target target) throws InterruptedException {
        Thread.sleep(1_000);
        try {
            DeleteRangeResponse deleted =
                    KVGrpc.newBlockingStub(target.server().channel())
                            .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS)
                            .deleteRange(
                                    DeleteRangeRequest.newBuilder()
                                            .setKey(Target.bytes("many/"))
                                            .setRangeEnd(Target.end("many/"))
                                            .build());
            if (deleted.getDeleted() != KEYS) {
                throw new IllegalStateException("deleted " + deleted.getDeleted());
            }
            target.ends().ended(Ends.OK);
        } catch (StatusRuntimeException e) {
            target.ends().ended(e.getMessage());
        }
        Thread.sleep(1_000);
    }
}
