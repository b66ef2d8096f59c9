package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseRevokeResponse;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** etcdserverpb.Lease. */
final class LeaseService {
    private final Backend backend;
    private final Headers headers;

    LeaseService(Backend backend, Headers headers) {
        this.backend = backend;
        this.headers = headers;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(LeaseGrpc.getLeaseGrantMethod(), this::grant, this::granted)
                .unary(LeaseGrpc.getLeaseRevokeMethod(), this::revoke, this::revoked)
                .unary(LeaseGrpc.getLeaseTimeToLiveMethod(), this::timeToLive, this::times)
                .unary(
                        LeaseGrpc.getLeaseLeasesMethod(),
                        (r, n) -> backend.submit(new ListLeases()),
                        this::leases)
                .streaming(
                        LeaseGrpc.getLeaseKeepAliveMethod(),
                        AnswerForm.of(LeaseKeepAliveResponse.getDefaultInstance()),
                        (call, md) -> KeepAliveCall.start(call, backend, headers))
                .build();
    }

    private CompletableFuture<GrantedLease> grant(LeaseGrantRequest request, int bytes) {
        return backend.submit(new GrantLease(request.getID(), request.getTTL()));
    }

    private LeaseGrantResponse granted(GrantedLease granted) {
        return LeaseGrantResponse.newBuilder()
                .setHeader(headers.at(granted.revision()))
                .setID(granted.id())
                .setTTL(granted.ttl())
                .build();
    }

    private CompletableFuture<Long> revoke(LeaseRevokeRequest request, int bytes) {
        return backend.submit(new RevokeLease(request.getID()));
    }

    private LeaseRevokeResponse revoked(long revision) {
        return LeaseRevokeResponse.newBuilder().setHeader(headers.at(revision)).build();
    }

    private CompletableFuture<LeaseTimes> timeToLive(LeaseTimeToLiveRequest request, int bytes) {
        return backend.submit(new GetLeaseTimes(request.getID(), request.getKeys()));
    }

    private LeaseTimeToLiveResponse times(LeaseTimes times) {
        LeaseTimeToLiveResponse.Builder answer =
                LeaseTimeToLiveResponse.newBuilder()
                        .setHeader(headers.at(times.revision()))
                        .setID(times.id())
                        .setTTL(times.remaining())
                        .setGrantedTTL(times.granted());
        times.keys().forEach(key -> answer.addKeys(Answers.wrap(key)));
        return answer.build();
    }

    private LeaseLeasesResponse leases(List<Long> ids) {
        LeaseLeasesResponse.Builder answer =
                LeaseLeasesResponse.newBuilder().setHeader(headers.now());
        ids.forEach(id -> answer.addLeases(LeaseStatus.newBuilder().setID(id)));
        return answer.build();
    }
}
