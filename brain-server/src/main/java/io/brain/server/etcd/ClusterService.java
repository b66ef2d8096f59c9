package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.cluster.Cluster;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.Member;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberAddResponse;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberListResponse;
import io.brain.proto.etcd.MemberPromoteRequest;
import io.brain.proto.etcd.MemberPromoteResponse;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.MemberRemoveResponse;
import io.brain.proto.etcd.MemberUpdateRequest;
import io.brain.proto.etcd.MemberUpdateResponse;
import io.brain.server.grpc.ServiceBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/** etcdserverpb.Cluster. As in etcd, headers have no revision. */
final class ClusterService {
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(\\[[^\\]]*\\]|[^:\\[\\]]*):[0-9]*");

    private final Backend backend;
    private final Cluster cluster;
    private final Responses responses;
    private final boolean strictAdd;

    /**
     * Creates the service.
     *
     * @param strictAdd whether a member is added only to a healthy cluster
     */
    ClusterService(Backend backend, Responses responses, boolean strictAdd) {
        this.backend = backend;
        this.cluster = backend.cluster();
        this.responses = responses;
        this.strictAdd = strictAdd;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(ClusterGrpc.getMemberListMethod(), this::list)
                .unary(ClusterGrpc.getMemberAddMethod(), this::add)
                .unary(ClusterGrpc.getMemberRemoveMethod(), this::remove)
                .unary(ClusterGrpc.getMemberUpdateMethod(), this::update)
                .unary(ClusterGrpc.getMemberPromoteMethod(), this::promote)
                .build();
    }

    private CompletableFuture<MemberListResponse> list(MemberListRequest request) {
        CompletableFuture<Void> readable =
                request.getLinearizable()
                        ? backend.checkReadable(false)
                        : CompletableFuture.completedFuture(null);
        return readable.thenCompose(done -> members())
                .thenApply(
                        all ->
                                MemberListResponse.newBuilder()
                                        .setHeader(responses.header(0))
                                        .addAllMembers(all)
                                        .build());
    }

    private CompletableFuture<MemberAddResponse> add(MemberAddRequest request) {
        requirePeerUrls(request.getPeerURLsList());
        List<String> urls = request.getPeerURLsList().stream().map(String::strip).sorted().toList();
        return members()
                .thenCompose(this::requireHealthy)
                .thenCompose(
                        all -> {
                            requireUnused(urls, all, 0);
                            if (!cluster.isShared()) {
                                throw Errors.precondition(
                                        "brain: this storage has one member; more need a shared"
                                                + " storage");
                            }
                            // A learner is a full member: the storage has the copies, so there
                            // is nothing to catch up with.
                            return cluster.add(urls);
                        })
                .thenCompose(added -> members().thenApply(all -> added(message(added), all)));
    }

    private MemberAddResponse added(Member member, List<Member> all) {
        return MemberAddResponse.newBuilder()
                .setHeader(responses.header(0))
                .setMember(member)
                .addAllMembers(all)
                .build();
    }

    private CompletableFuture<MemberRemoveResponse> remove(MemberRemoveRequest request) {
        return members()
                .thenCompose(
                        all -> {
                            Member member = require(request.getID(), all);
                            if (isStarted(member)
                                    && all.stream().filter(ClusterService::isStarted).count() < 2) {
                                throw notEnoughStarted();
                            }
                            return cluster.remove(member.getID());
                        })
                .thenCompose(done -> members())
                .thenApply(
                        all ->
                                MemberRemoveResponse.newBuilder()
                                        .setHeader(responses.header(0))
                                        .addAllMembers(all)
                                        .build());
    }

    private CompletableFuture<MemberUpdateResponse> update(MemberUpdateRequest request) {
        return members()
                .thenCompose(all -> update(request, all))
                .thenCompose(done -> members())
                .thenApply(
                        all ->
                                MemberUpdateResponse.newBuilder()
                                        .setHeader(responses.header(0))
                                        .addAllMembers(all)
                                        .build());
    }

    private CompletableFuture<Void> update(MemberUpdateRequest request, List<Member> all) {
        List<String> urls = request.getPeerURLsList();
        Member member = require(request.getID(), all);
        if (cluster.isShared()) { // others connect to them; etcd checks nothing
            requirePeerUrls(urls);
        }
        requireUnused(urls, all, member.getID());
        return cluster.update(
                new io.brain.backend.model.Member(
                        member.getID(), member.getName(), urls, member.getClientURLsList()));
    }

    private CompletableFuture<MemberPromoteResponse> promote(MemberPromoteRequest request) {
        return members()
                .thenApply(
                        all -> {
                            require(request.getID(), all);
                            throw Errors.precondition(
                                    "etcdserver: can only promote a learner member");
                        });
    }

    private CompletableFuture<List<Member>> members() {
        return cluster.members()
                .thenApply(all -> all.stream().map(ClusterService::message).toList());
    }

    private static Member message(io.brain.backend.model.Member member) {
        return Member.newBuilder()
                .setID(member.id())
                .setName(member.name())
                .addAllPeerURLs(member.peerUrls())
                .addAllClientURLs(member.clientUrls())
                .build();
    }

    private static Member require(long id, List<Member> all) {
        Optional<Member> found = all.stream().filter(one -> one.getID() == id).findFirst();
        return found.orElseThrow(() -> Errors.notFound("etcdserver: member not found"));
    }

    private static boolean isStarted(Member member) {
        return !member.getName().isEmpty();
    }

    /** etcd's rule for voting members: a majority, counting the new one, must be started. */
    private static void requireEnoughStarted(List<Member> all) {
        long started = all.stream().filter(ClusterService::isStarted).count();
        int members = all.size() + 1;
        boolean growsFromOne = started == 1 && members == 2;
        if (!growsFromOne && started < members / 2 + 1) {
            throw notEnoughStarted();
        }
    }

    /** etcd's rule: a majority, counting the new member, which is not started, must respond. */
    private CompletableFuture<List<Member>> requireHealthy(List<Member> all) {
        if (strictAdd) {
            requireEnoughStarted(all);
        }
        if (!strictAdd || all.size() == 1) {
            return CompletableFuture.completedFuture(all);
        }
        List<CompletableFuture<Boolean>> reached =
                all.stream().filter(ClusterService::isStarted).map(this::reaches).toList();
        return CompletableFuture.allOf(reached.toArray(CompletableFuture<?>[]::new))
                .thenApply(
                        done -> {
                            long responding =
                                    reached.stream().filter(CompletableFuture::join).count();
                            if (responding < (all.size() + 1) / 2 + 1) {
                                throw Errors.unavailable("etcdserver: unhealthy cluster");
                            }
                            return all;
                        });
    }

    private CompletableFuture<Boolean> reaches(Member member) {
        return member.getID() == responses.memberId()
                ? CompletableFuture.completedFuture(true)
                : cluster.reaches(member.getID(), member.getPeerURLsList());
    }

    private static StatusRuntimeException notEnoughStarted() {
        return Errors.unknown(
                "etcdserver: re-configuration failed due to not enough started members");
    }

    private static void requireUnused(List<String> urls, List<Member> all, long except) {
        for (Member member : all) {
            if (member.getID() != except
                    && urls.stream().anyMatch(member.getPeerURLsList()::contains)) {
                throw Errors.precondition("etcdserver: Peer URLs already exists");
            }
        }
    }

    private static void requirePeerUrls(List<String> urls) throws StatusRuntimeException {
        if (urls.isEmpty() || !urls.stream().allMatch(ClusterService::isPeerUrl)) {
            throw Errors.invalid("etcdserver: given member URLs are invalid");
        }
    }

    /** Parses as etcd does, which ignores the path of a Unix socket. */
    private static boolean isPeerUrl(String text) {
        try {
            URI url = new URI(text.strip());
            String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
            return switch (scheme) {
                case "unix", "unixs" -> true;
                case "http", "https" ->
                        url.getRawAuthority() != null
                                && HOST_AND_PORT.matcher(url.getRawAuthority()).matches()
                                && url.getRawPath().isEmpty();
                default -> false;
            };
        } catch (URISyntaxException malformed) {
            return false;
        }
    }
}
