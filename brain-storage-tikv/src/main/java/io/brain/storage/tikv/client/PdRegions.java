package io.brain.storage.tikv.client;

import java.util.function.Function;
import org.tikv.common.apiversion.RequestKeyCodec;
import org.tikv.common.apiversion.RequestKeyV1TxnCodec;
import org.tikv.kvproto.Metapb;
import org.tikv.kvproto.PDGrpc;
import org.tikv.kvproto.PDGrpc.PDFutureStub;
import org.tikv.kvproto.Pdpb;
import org.tikv.kvproto.Pdpb.GetRegionRequest;
import org.tikv.kvproto.Pdpb.GetRegionResponse;
import org.tikv.kvproto.Pdpb.GetStoreRequest;
import org.tikv.kvproto.Pdpb.GetStoreResponse;
import org.tikv.kvproto.Pdpb.RequestHeader;
import org.tikv.kvproto.Pdpb.ResponseHeader;
import org.tikv.shade.com.google.common.util.concurrent.ListenableFuture;
import org.tikv.shade.com.google.protobuf.ByteString;
import org.tikv.shade.io.grpc.Deadline;
import org.tikv.shade.io.grpc.ManagedChannel;

/**
 * PD's regions and stores. Thread-safe. Each call sends one request to the leader that answered the
 * last one; after a failure, the next call looks for the leader first.
 */
final class PdRegions {
    /** PD has keys in an order-preserving encoding. */
    private static final RequestKeyCodec CODEC = new RequestKeyV1TxnCodec();

    private final PdMembers members;
    private final RequestHeader header;

    /** Null for unknown. */
    private volatile ManagedChannel leader;

    PdRegions(PdMembers members, long clusterId) {
        this.members = members;
        this.header = RequestHeader.newBuilder().setClusterId(clusterId).build();
    }

    /**
     * The region that holds {@code key}, with decoded bounds, and its leader. If PD knows no
     * leader, it is a replica, which can name the leader.
     *
     * @throws RuntimeException if PD does not return it in time
     */
    Pdpb.Region region(ByteString key, Deadline deadline) {
        GetRegionRequest request =
                GetRegionRequest.newBuilder()
                        .setHeader(header)
                        .setRegionKey(CODEC.encodePdQuery(key))
                        .build();
        GetRegionResponse answer =
                ask(stub -> stub.getRegion(request), GetRegionResponse::getHeader, deadline);
        if (answer.getRegion().getPeersCount() == 0) {
            throw new IllegalStateException("PD reports no region");
        }
        Metapb.Region region = CODEC.decodeRegion(answer.getRegion());
        return Pdpb.Region.newBuilder()
                .setRegion(region)
                .setLeader(
                        answer.getLeader().getId() != 0 ? answer.getLeader() : region.getPeers(0))
                .build();
    }

    /**
     * A store.
     *
     * @throws RuntimeException if PD does not return it in time, or if it was removed
     */
    Metapb.Store store(long id, Deadline deadline) {
        GetStoreRequest request =
                GetStoreRequest.newBuilder().setHeader(header).setStoreId(id).build();
        Metapb.Store store =
                ask(stub -> stub.getStore(request), GetStoreResponse::getHeader, deadline)
                        .getStore();
        if (store.getAddress().isEmpty() || store.getState() == Metapb.StoreState.Tombstone) {
            throw new IllegalStateException("store " + id + " was removed");
        }
        return store;
    }

    private <R> R ask(
            Function<PDFutureStub, ListenableFuture<R>> request,
            Function<R, ResponseHeader> header,
            Deadline deadline) {
        ManagedChannel asked = leader;
        try {
            if (asked == null) {
                asked = members.leader(deadline);
            }
            PDFutureStub stub = PDGrpc.newFutureStub(asked).withDeadline(deadline);
            R answer = Wire.await(request.apply(stub));
            PdSafePoints.check(header.apply(answer));
            leader = asked;
            return answer;
        } catch (RuntimeException e) {
            leader = null;
            throw e;
        }
    }
}
