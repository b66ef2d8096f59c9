package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.Member;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberListResponse;
import io.brain.proto.etcd.MemberPromoteRequest;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.MemberUpdateRequest;
import io.brain.proto.etcd.MemberUpdateResponse;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** etcdserverpb.Cluster of one member that stays the only one. Headers have no revision here. */
final class ClusterService {
    private final Backend backend;
    private final Headers headers;
    private final Member self;

    /**
     * The service.
     *
     * @param self this member, but for its id
     */
    ClusterService(Backend backend, Headers headers, Member self) {
        this.backend = backend;
        this.headers = headers;
        this.self = self.toBuilder().setID(headers.memberId()).build();
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(ClusterGrpc.getMemberListMethod(), this::list, this::members)
                .refused(ClusterGrpc.getMemberAddMethod(), this::add)
                .refused(ClusterGrpc.getMemberRemoveMethod(), this::remove)
                .immediate(ClusterGrpc.getMemberUpdateMethod(), this::update)
                .refused(ClusterGrpc.getMemberPromoteMethod(), this::promote)
                .build();
    }

    private CompletableFuture<Void> list(MemberListRequest request, int bytes) {
        return request.getLinearizable()
                ? backend.checkReadable()
                : CompletableFuture.completedFuture(null);
    }

    private MemberListResponse members(Void done) {
        return MemberListResponse.newBuilder().setHeader(headers.at(0)).addMembers(self).build();
    }

    private StatusRuntimeException add(MemberAddRequest request) {
        List<String> urls = request.getPeerURLsList();
        if (urls.isEmpty() || !urls.stream().allMatch(ClusterService::isPeerUrl)) {
            return Errors.invalid("etcdserver: given member URLs are invalid");
        }
        return urls.stream().anyMatch(self.getPeerURLsList()::contains)
                ? Errors.precondition("etcdserver: Peer URLs already exists")
                : Errors.unsupported("MemberAdd");
    }

    private StatusRuntimeException remove(MemberRemoveRequest request) {
        return request.getID() != self.getID()
                ? notFound()
                : Errors.unknown(
                        "etcdserver: re-configuration failed due to not enough started members");
    }

    private MemberUpdateResponse update(MemberUpdateRequest request) {
        if (request.getID() != self.getID()) {
            throw notFound();
        }
        if (!request.getPeerURLsList().equals(self.getPeerURLsList())) {
            throw Errors.unsupported("another peer URL");
        }
        return MemberUpdateResponse.newBuilder().setHeader(headers.at(0)).addMembers(self).build();
    }

    private StatusRuntimeException promote(MemberPromoteRequest request) {
        return request.getID() != self.getID()
                ? notFound()
                : Errors.precondition("etcdserver: can only promote a learner member");
    }

    private static StatusRuntimeException notFound() {
        return Errors.notFound("etcdserver: member not found");
    }

    private static boolean isPeerUrl(String text) {
        try {
            URI url = new URI(text.strip());
            String scheme = url.getScheme();
            boolean http = "http".equals(scheme) || "https".equals(scheme);
            return http
                    && url.getHost() != null
                    && url.getPort() >= 0
                    && (url.getPath() == null || url.getPath().isEmpty());
        } catch (URISyntaxException malformed) {
            return false;
        }
    }
}
