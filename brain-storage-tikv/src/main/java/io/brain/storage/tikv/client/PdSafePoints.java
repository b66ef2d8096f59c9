package io.brain.storage.tikv.client;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.PDGrpc.PDBlockingStub;
import io.brain.proto.tikv.Pdpb.GetGCSafePointRequest;
import io.brain.proto.tikv.Pdpb.GetGCSafePointResponse;
import io.brain.proto.tikv.Pdpb.RequestHeader;
import io.brain.proto.tikv.Pdpb.ResponseHeader;
import io.brain.proto.tikv.Pdpb.UpdateGCSafePointRequest;
import io.brain.proto.tikv.Pdpb.UpdateGCSafePointResponse;
import io.brain.proto.tikv.Pdpb.UpdateServiceGCSafePointRequest;
import io.brain.proto.tikv.Pdpb.UpdateServiceGCSafePointResponse;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * PD's GC safe point and service safe points. Thread-safe. Each call sends one request to PD and
 * throws kind UNAVAILABLE if there is no response.
 */
public final class PdSafePoints {
    /**
     * Service ID of the process that advances the safe point, by PD's convention; never expires.
     */
    public static final String MOVER = "gc_worker";

    private final TimestampOracle.LeaderChannel leader;
    private final RequestHeader header;
    private final Duration timeout;

    PdSafePoints(TimestampOracle.LeaderChannel leader, long clusterId, Duration timeout) {
        this.leader = leader;
        this.header = RequestHeader.newBuilder().setClusterId(clusterId).build();
        this.timeout = timeout;
    }

    /**
     * Sets a service safe point.
     *
     * @param ttlSeconds expiry unless set again; 0 or less removes it
     * @return the least safe point of all services; if greater than {@code timestamp}, the request
     *     was rejected as too late
     */
    public long hold(String service, long ttlSeconds, long timestamp) {
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
     * Advances the GC safe point: stores may remove versions superseded at or before {@code
     * timestamp}. Never moves back. Ignores service safe points.
     *
     * @return the resulting safe point
     */
    public long move(long timestamp) {
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

    /** The GC safe point; 0 if never set. */
    public long current() {
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

    /** Throws for an error that PD reports. */
    static void check(ResponseHeader header) {
        if (header.hasError()) {
            throw new IllegalStateException(header.getError().getMessage());
        }
    }

    private static long ask(Supplier<Long> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            String line = ("PD safe point request failed: " + e.getMessage()).replace('\n', ' ');
            throw new StorageException(Kind.UNAVAILABLE, line, e);
        }
    }
}
