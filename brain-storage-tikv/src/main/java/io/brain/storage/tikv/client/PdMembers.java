package io.brain.storage.tikv.client;

import com.google.common.util.concurrent.ListenableFuture;
import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.Pdpb.GetMembersRequest;
import io.brain.proto.tikv.Pdpb.GetMembersResponse;
import io.brain.proto.tikv.Pdpb.Member;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The members of PD, of which one leads. Thread-safe. */
final class PdMembers {
    private final Channels channels;
    private final List<String> configured;
    private final long timeoutMillis;

    /** Addresses of the members, as last reported; they may differ from the configured ones. */
    private volatile List<String> reported = List.of();

    PdMembers(Channels channels, TikvSettings settings) {
        this.channels = channels;
        this.configured = settings.network().pdEndpoints();
        this.timeoutMillis = settings.rpcTimeout().toMillis();
    }

    /**
     * The ID of the cluster. Waits for a PD election, but not for an unreachable PD.
     *
     * @throws RuntimeException if PD is unreachable, or has no leader in time
     */
    long clusterId(Backoff backoff) {
        while (true) {
            try {
                return ask(deadline()).getHeader().getClusterId();
            } catch (RuntimeException e) {
                if (e instanceof NoAnswerException failure && failure.isRefusal()) {
                    throw e;
                }
                backoff.pause("PD has no leader: " + e.getMessage(), e);
            }
        }
    }

    /**
     * The channel to the leader.
     *
     * @throws RuntimeException if no PD reports a leader in time
     */
    ManagedChannel leader() {
        return leader(deadline());
    }

    /** As {@link #leader()}, with another deadline than that of one request. */
    ManagedChannel leader(Deadline deadline) {
        return channels.to(address(ask(deadline).getLeader()));
    }

    private Deadline deadline() {
        return Deadline.after(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private static String address(Member member) {
        return URI.create(member.getClientUrls(0)).getAuthority();
    }

    /**
     * The answer of the first PD that reports a leader; all are asked at once, as some may hang.
     * gRPC would wait up to two minutes before it connects again to a PD that was away; the callers
     * pause enough.
     */
    private GetMembersResponse ask(Deadline deadline) {
        Set<String> addresses = new LinkedHashSet<>(configured);
        addresses.addAll(reported);
        BlockingQueue<ListenableFuture<GetMembersResponse>> done = new LinkedBlockingQueue<>();
        for (String address : addresses) {
            ManagedChannel channel = channels.to(address);
            channel.resetConnectBackoff();
            ListenableFuture<GetMembersResponse> asked =
                    PDGrpc.newFutureStub(channel)
                            .withDeadline(deadline)
                            .getMembers(GetMembersRequest.getDefaultInstance());
            asked.addListener(() -> done.add(asked), Runnable::run);
        }
        RuntimeException failure = null;
        for (int i = 0; i < addresses.size(); i++) {
            try {
                GetMembersResponse members = Wire.await(done.take());
                if (members.getLeader().getClientUrlsCount() > 0) {
                    note(members);
                    return members;
                }
                failure = new IllegalStateException("PD reports no leader");
            } catch (NoAnswerException e) {
                failure = failure == null || !e.isRefusal() ? e : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(Kind.UNAVAILABLE, "interrupted while asking PD", e);
            }
        }
        throw failure == null ? new IllegalStateException("no PD endpoint") : failure;
    }

    private void note(GetMembersResponse members) {
        reported =
                members.getMembersList().stream()
                        .filter(member -> member.getClientUrlsCount() > 0)
                        .map(PdMembers::address)
                        .toList();
    }
}
