package io.brain.storage.tikv.client;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Metapb;
import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.PDGrpc.PDFutureStub;
import io.brain.proto.tikv.Pdpb;
import io.brain.proto.tikv.Pdpb.GetRegionRequest;
import io.brain.proto.tikv.Pdpb.GetRegionResponse;
import io.brain.proto.tikv.Pdpb.GetStoreRequest;
import io.brain.proto.tikv.Pdpb.GetStoreResponse;
import io.brain.proto.tikv.Pdpb.RequestHeader;
import io.brain.proto.tikv.Pdpb.ResponseHeader;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * PD's regions and stores. Thread-safe. Each call sends one request to the leader that answered the
 * last one; after a failure, the next call looks for the leader first.
 */
final class PdRegions {
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
     * leader, it is any replica: one that is up can name the leader.
     *
     * @throws RuntimeException if PD does not return it in time
     */
    Pdpb.Region region(ByteString key, Deadline deadline) {
        GetRegionRequest request =
                GetRegionRequest.newBuilder()
                        .setHeader(header)
                        .setRegionKey(PdKeys.encode(key))
                        .build();
        GetRegionResponse answer =
                ask(stub -> stub.getRegion(request), GetRegionResponse::getHeader, deadline);
        if (answer.getRegion().getPeersCount() == 0) {
            throw new IllegalStateException("PD reports no region");
        }
        Metapb.Region region = PdKeys.decode(answer.getRegion());
        int any = ThreadLocalRandom.current().nextInt(region.getPeersCount());
        boolean known = answer.getLeader().getId() != 0;
        return Pdpb.Region.newBuilder()
                .setRegion(region)
                .setLeader(known ? answer.getLeader() : region.getPeers(any))
                .build();
    }

    long clusterId() {
        return header.getClusterId();
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
