package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tikv.kvproto.PDGrpc;
import org.tikv.kvproto.PDGrpc.PDBlockingStub;
import org.tikv.kvproto.Pdpb.GetGCSafePointRequest;
import org.tikv.kvproto.Pdpb.GetGCSafePointResponse;
import org.tikv.kvproto.Pdpb.RequestHeader;
import org.tikv.kvproto.Pdpb.ResponseHeader;
import org.tikv.kvproto.Pdpb.UpdateGCSafePointRequest;
import org.tikv.kvproto.Pdpb.UpdateGCSafePointResponse;
import org.tikv.kvproto.Pdpb.UpdateServiceGCSafePointRequest;
import org.tikv.kvproto.Pdpb.UpdateServiceGCSafePointResponse;
import org.tikv.shade.com.google.protobuf.ByteString;

/**
 * PD's safe points: the one below which stores may collect, and those that services hold it back
 * with. Thread-safe; every call asks PD once, and fails with kind UNAVAILABLE if it does not
 * answer.
 */
final class PdSafePoints {
    /** The service of whoever moves the safe point, by PD's convention; it never expires. */
    static final String MOVER = "gc_worker";

    private final TimestampOracle.LeaderChannel leader;
    private final RequestHeader header;
    private final Duration timeout;

    PdSafePoints(TimestampOracle.LeaderChannel leader, long clusterId, Duration timeout) {
        this.leader = leader;
        this.header = RequestHeader.newBuilder().setClusterId(clusterId).build();
        this.timeout = timeout;
    }

    /**
     * Holds back the safe point for a service.
     *
     * @param ttlSeconds how long, unless it says so again; 0 or less to end that now
     * @return the least of all services; if it is greater than {@code timestamp}, that came too
     *     late, and was not taken
     */
    long hold(String service, long ttlSeconds, long timestamp) {
        return ask(
                () -> {
                    UpdateServiceGCSafePointResponse answer =
                            stub().updateServiceGCSafePoint(
                                            UpdateServiceGCSafePointRequest.newBuilder()
                                                    .setHeader(header)
                                                    .setServiceId(ByteString.copyFromUtf8(service))
                                                    .setTTL(ttlSeconds)
                                                    .setSafePoint(timestamp)
                                                    .build());
                    check(answer.getHeader());
                    return answer.getMinSafePoint();
                });
    }

    /**
     * Lets stores collect what a newer version at or before {@code timestamp} superseded; it never
     * goes back. Takes no notice of what services hold.
     *
     * @return the safe point now
     */
    long move(long timestamp) {
        return ask(
                () -> {
                    UpdateGCSafePointResponse answer =
                            stub().updateGCSafePoint(
                                            UpdateGCSafePointRequest.newBuilder()
                                                    .setHeader(header)
                                                    .setSafePoint(timestamp)
                                                    .build());
                    check(answer.getHeader());
                    return answer.getNewSafePoint();
                });
    }

    /** The safe point; 0 if it was never moved. */
    long current() {
        return ask(
                () -> {
                    GetGCSafePointResponse answer =
                            stub().getGCSafePoint(
                                            GetGCSafePointRequest.newBuilder()
                                                    .setHeader(header)
                                                    .build());
                    check(answer.getHeader());
                    return answer.getSafePoint();
                });
    }

    private PDBlockingStub stub() {
        return PDGrpc.newBlockingStub(leader.find())
                .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void check(ResponseHeader header) {
        if (header.hasError()) {
            throw new IllegalStateException(header.getError().getMessage());
        }
    }

    private static long ask(Supplier<Long> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            String line = ("PD takes no safe point: " + e.getMessage()).replace('\n', ' ');
            throw new StorageException(Kind.UNAVAILABLE, line, e);
        }
    }
}
