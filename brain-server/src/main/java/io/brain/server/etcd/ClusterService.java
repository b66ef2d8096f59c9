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
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/** etcdserverpb.Cluster. Headers have no revision here. */
final class ClusterService {
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(\\[[^\\]]*\\]|[^:\\[\\]]*):[0-9]*");

    private final Backend backend;
    private final Cluster cluster;
    private final Headers headers;

    ClusterService(Backend backend, Headers headers) {
        this.backend = backend;
        this.cluster = backend.cluster();
        this.headers = headers;
    }

    /** What a change of members ends with: the member it is about, and all that there are. */
    private record Changed(Member member, List<Member> all) {}

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(ClusterGrpc.getMemberListMethod(), this::list, this::listed)
                .unary(ClusterGrpc.getMemberAddMethod(), this::add, this::added)
                .unary(ClusterGrpc.getMemberRemoveMethod(), this::remove, this::removed)
                .unary(ClusterGrpc.getMemberUpdateMethod(), this::update, this::updated)
                .unary(ClusterGrpc.getMemberPromoteMethod(), this::promote, this::promoted)
                .build();
    }

    private CompletableFuture<List<Member>> list(MemberListRequest request, int bytes) {
        CompletableFuture<Void> readable =
                request.getLinearizable()
                        ? backend.checkReadable()
                        : CompletableFuture.completedFuture(null);
        return readable.thenCompose(done -> members());
    }

    private MemberListResponse listed(List<Member> all) {
        return MemberListResponse.newBuilder().setHeader(headers.at(0)).addAllMembers(all).build();
    }

    private CompletableFuture<Changed> add(MemberAddRequest request, int bytes) {
        requirePeerUrls(request.getPeerURLsList());
        List<String> urls = request.getPeerURLsList().stream().map(String::strip).sorted().toList();
        return members()
                .thenCompose(this::requireHealthy)
                .thenCompose(
                        all -> {
                            requireUnused(urls, all, 0);
                            if (!cluster.isShared()) {
                                throw Errors.unsupported("MemberAdd with this storage");
                            }
                            if (request.getIsLearner()) {
                                throw Errors.unsupported("a learner");
                            }
                            return cluster.add(urls);
                        })
                .thenCompose(added -> changed(message(added)));
    }

    private MemberAddResponse added(Changed changed) {
        return MemberAddResponse.newBuilder()
                .setHeader(headers.at(0))
                .setMember(changed.member())
                .addAllMembers(changed.all())
                .build();
    }

    private CompletableFuture<Changed> remove(MemberRemoveRequest request, int bytes) {
        return members()
                .thenCompose(
                        all -> {
                            Member member = require(request.getID(), all);
                            // One that was never started is not missed.
                            boolean started = !member.getName().isEmpty();
                            if (started && all.stream().filter(ClusterService::runs).count() < 2) {
                                throw notEnoughStarted();
                            }
                            return cluster.remove(member.getID())
                                    .thenCompose(done -> changed(member));
                        });
    }

    private MemberRemoveResponse removed(Changed changed) {
        return MemberRemoveResponse.newBuilder()
                .setHeader(headers.at(0))
                .addAllMembers(changed.all())
                .build();
    }

    private CompletableFuture<Changed> update(MemberUpdateRequest request, int bytes) {
        List<String> urls = request.getPeerURLsList();
        return members()
                .thenCompose(
                        all -> {
                            Member member = require(request.getID(), all);
                            if (urls.equals(member.getPeerURLsList())) {
                                return changed(member);
                            }
                            if (!cluster.isShared()) {
                                throw Errors.unsupported("another peer URL");
                            }
                            requirePeerUrls(urls);
                            requireUnused(urls, all, member.getID());
                            io.brain.backend.model.Member other =
                                    new io.brain.backend.model.Member(
                                            member.getID(),
                                            member.getName(),
                                            urls,
                                            member.getClientURLsList());
                            return cluster.update(other)
                                    .thenCompose(done -> changed(message(other)));
                        });
    }

    private MemberUpdateResponse updated(Changed changed) {
        return MemberUpdateResponse.newBuilder()
                .setHeader(headers.at(0))
                .addAllMembers(changed.all())
                .build();
    }

    private CompletableFuture<Changed> promote(MemberPromoteRequest request, int bytes) {
        return members()
                .thenCompose(
                        all -> {
                            require(request.getID(), all);
                            throw Errors.precondition(
                                    "etcdserver: can only promote a learner member");
                        });
    }

    private MemberPromoteResponse promoted(Changed changed) {
        return MemberPromoteResponse.newBuilder()
                .setHeader(headers.at(0))
                .addAllMembers(changed.all())
                .build();
    }

    private CompletableFuture<Changed> changed(Member member) {
        return members().thenApply(all -> new Changed(member, all));
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

    private static boolean runs(Member member) {
        return !member.getName().isEmpty();
    }

    /** etcd's rule for a voting member: with the new one, a majority is to be started. */
    private static void requireEnoughStarted(List<Member> all) {
        long started = all.stream().filter(ClusterService::runs).count();
        int members = all.size() + 1;
        boolean restored = started == 1 && members == 2;
        if (!restored && started < members / 2 + 1) {
            throw notEnoughStarted();
        }
    }

    /**
     * As etcd, whose cluster would lose its quorum: with the new member, which does not run yet, a
     * majority is to be there.
     */
    private CompletableFuture<List<Member>> requireHealthy(List<Member> all) {
        requireEnoughStarted(all);
        if (all.size() == 1) {
            return CompletableFuture.completedFuture(all);
        }
        List<CompletableFuture<Boolean>> reached =
                all.stream().filter(ClusterService::runs).map(this::reaches).toList();
        return CompletableFuture.allOf(reached.toArray(CompletableFuture<?>[]::new))
                .thenApply(
                        done -> {
                            long there = reached.stream().filter(CompletableFuture::join).count();
                            if (there < (all.size() + 1) / 2 + 1) {
                                throw Errors.unavailable("etcdserver: unhealthy cluster");
                            }
                            return all;
                        });
    }

    private CompletableFuture<Boolean> reaches(Member member) {
        return member.getID() == headers.memberId()
                ? CompletableFuture.completedFuture(true)
                : cluster.reaches(member.getID(), member.getPeerURLsList());
    }

    private static StatusRuntimeException notEnoughStarted() {
        return Errors.unknown(
                "etcdserver: re-configuration failed due to not enough started members");
    }

    private static void requireUnused(List<String> urls, List<Member> all, long but) {
        for (Member member : all) {
            if (member.getID() != but
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

    /** As etcd reads peer URLs: a socket's path is not looked at. */
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
