package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseRevokeResponse;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.server.auth.Callers;
import io.brain.server.grpc.ByteStrings;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import java.util.List;

/** etcdserverpb.Lease. */
final class LeaseService {
    private final Backend backend;
    private final Responses responses;

    LeaseService(Backend backend, Responses responses) {
        this.backend = backend;
        this.responses = responses;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(
                        LeaseGrpc.getLeaseGrantMethod(),
                        request ->
                                backend.submit(
                                        new GrantLease(request.getID(), request.getTTL())
                                                .by(Callers.current())),
                        this::granted)
                .unary(
                        LeaseGrpc.getLeaseRevokeMethod(),
                        request ->
                                backend.submit(
                                        new RevokeLease(request.getID()).by(Callers.current())),
                        this::revoked)
                .unary(
                        LeaseGrpc.getLeaseTimeToLiveMethod(),
                        request ->
                                backend.submit(
                                        new GetLeaseTimes(request.getID(), request.getKeys())
                                                .by(Callers.current())),
                        this::times)
                .unary(
                        LeaseGrpc.getLeaseLeasesMethod(),
                        request -> backend.submit(new ListLeases().by(Callers.current())),
                        this::leases)
                .calls(
                        LeaseGrpc.getLeaseKeepAliveMethod(),
                        Encoding.of(LeaseKeepAliveResponse.getDefaultInstance()),
                        KeepAliveCall::new)
                .build();
    }

    private LeaseGrantResponse granted(GrantedLease granted) {
        return LeaseGrantResponse.newBuilder()
                .setHeader(responses.header(granted.revision()))
                .setID(granted.id())
                .setTTL(granted.ttl())
                .build();
    }

    private LeaseRevokeResponse revoked(long revision) {
        return LeaseRevokeResponse.newBuilder().setHeader(responses.header(revision)).build();
    }

    private LeaseTimeToLiveResponse times(LeaseTimes times) {
        LeaseTimeToLiveResponse.Builder response =
                LeaseTimeToLiveResponse.newBuilder()
                        .setHeader(responses.header(times.revision()))
                        .setID(times.id())
                        .setTTL(times.remaining())
                        .setGrantedTTL(times.granted());
        times.keys().forEach(key -> response.addKeys(ByteStrings.wrap(key)));
        return response.build();
    }

    private LeaseLeasesResponse leases(List<Long> ids) {
        LeaseLeasesResponse.Builder response =
                LeaseLeasesResponse.newBuilder().setHeader(responses.header());
        ids.forEach(id -> response.addLeases(LeaseStatus.newBuilder().setID(id)));
        return response.build();
    }

    /** Answers each request before it takes the next one; the client's half-close ends the call. */
    private final class KeepAliveCall
            extends IncomingCall<LeaseKeepAliveRequest, LeaseKeepAliveResponse> {
        private boolean renewing; // guarded by this

        KeepAliveCall(ServerCall<Request<LeaseKeepAliveRequest>, LeaseKeepAliveResponse> call) {
            super(call);
        }

        @Override
        protected void onRequest(Request<LeaseKeepAliveRequest> request) {
            synchronized (this) {
                renewing = true;
            }
            long id = request.message().getID();
            await(
                    backend.submit(new KeepLeaseAlive(id).by(Callers.current())),
                    granted -> respond(id, granted));
        }

        private synchronized void respond(long id, GrantedLease granted) {
            renewing = false;
            send(
                    LeaseKeepAliveResponse.newBuilder()
                            .setHeader(responses.header(granted.revision()))
                            .setID(id)
                            .setTTL(granted.ttl())
                            .build());
            onProgress();
        }

        @Override
        protected synchronized void onProgress() {
            if (renewing) {
                return;
            }
            if (isHalfClosed()) {
                complete();
            } else {
                requestNext();
            }
        }
    }
}
