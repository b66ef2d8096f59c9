package io.brain.server.lock;

import io.brain.backend.Backend;
import io.brain.proto.election.CampaignRequest;
import io.brain.proto.election.CampaignResponse;
import io.brain.proto.election.ElectionGrpc;
import io.brain.proto.election.LeaderKey;
import io.brain.proto.election.LeaderRequest;
import io.brain.proto.election.LeaderResponse;
import io.brain.proto.election.ProclaimRequest;
import io.brain.proto.election.ProclaimResponse;
import io.brain.proto.election.ResignRequest;
import io.brain.proto.election.ResignResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.server.grpc.ByteStrings;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.brain.server.lock.Acquisition.Owned;
import io.brain.storage.Bytes;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** v3electionpb.Election. */
public final class ElectionService {
    private final Backend backend;
    private final LongFunction<ResponseHeader> headers;

    /**
     * Creates the service.
     *
     * @param headers makes the header with a revision
     */
    public ElectionService(Backend backend, LongFunction<ResponseHeader> headers) {
        this.backend = backend;
        this.headers = headers;
    }

    /** Adds the methods. */
    public ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(ElectionGrpc.getCampaignMethod(), this::campaign)
                .unary(ElectionGrpc.getProclaimMethod(), this::proclaim)
                .unary(ElectionGrpc.getLeaderMethod(), this::leader)
                .unary(ElectionGrpc.getResignMethod(), this::resign)
                .calls(
                        ElectionGrpc.getObserveMethod(),
                        Encoding.of(LeaderResponse.getDefaultInstance()),
                        call -> new ObserveCall(call, backend, headers))
                .build();
    }

    /** As in etcd, a candidate whose lease expired while it waited is elected, without a key. */
    private CompletableFuture<CampaignResponse> campaign(CampaignRequest request) {
        return new Acquisition<>(
                        new RequestCalls(backend),
                        Contenders.of(request.getName()),
                        ByteStrings.unwrap(request.getValue()),
                        owned -> CompletableFuture.completedFuture(elected(request, owned)))
                .start(request.getLease());
    }

    private CampaignResponse elected(CampaignRequest request, Owned owned) {
        LeaderKey leader =
                LeaderKey.newBuilder()
                        .setName(request.getName())
                        .setKey(ByteStrings.wrap(owned.key().key()))
                        .setRev(owned.key().createRevision())
                        .setLease(owned.lease())
                        .build();
        return CampaignResponse.newBuilder()
                .setHeader(headers.apply(owned.revision()))
                .setLeader(leader)
                .build();
    }

    /** As in etcd, the key gets the lease of the request; a new one if it has none. */
    private CompletableFuture<ProclaimResponse> proclaim(ProclaimRequest request) {
        OwnedKey own = key(request.hasLeader(), request.getLeader());
        Bytes value = ByteStrings.unwrap(request.getValue());
        RequestCalls calls = new RequestCalls(backend);
        return calls.lease(request.getLeader().getLease())
                .thenCompose(lease -> calls.proclaim(own, value, lease))
                .thenApply(
                        done ->
                                ProclaimResponse.newBuilder()
                                        .setHeader(headers.apply(done.revision()))
                                        .build())
                .exceptionallyCompose(Errors::failed);
    }

    private CompletableFuture<ResignResponse> resign(ResignRequest request) {
        OwnedKey own = key(request.hasLeader(), request.getLeader());
        return new RequestCalls(backend)
                .txn(own.delete(), own.key().length())
                .thenApply(
                        done ->
                                ResignResponse.newBuilder()
                                        .setHeader(headers.apply(done.revision()))
                                        .build())
                .exceptionallyCompose(Errors::failed);
    }

    private CompletableFuture<LeaderResponse> leader(LeaderRequest request) {
        return new RequestCalls(backend)
                .range(Contenders.of(request.getName()).owner())
                .thenApply(
                        found -> {
                            if (found.kvs().isEmpty()) {
                                throw Errors.unknown("election: no leader");
                            }
                            return ObserveCall.response(
                                    headers.apply(found.revision()), found.kvs().get(0));
                        })
                .exceptionallyCompose(Errors::failed);
    }

    private static OwnedKey key(boolean present, LeaderKey leader) {
        if (!present) {
            throw Errors.unknown("\"leader\" field must be provided");
        }
        if (leader.getKey().isEmpty()) {
            throw Errors.keyNotProvided();
        }
        return new OwnedKey(ByteStrings.unwrap(leader.getKey()), leader.getRev());
    }
}
