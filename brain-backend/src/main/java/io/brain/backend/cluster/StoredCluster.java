package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.Membership;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Member;
import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The cluster as the store has it. What must be read is read on the readers' pool. */
public final class StoredCluster implements Cluster {
    private static final Duration LOOK_PAUSE = Duration.ofMillis(10);

    private final Membership membership;
    private final Elector elector;
    private final PendingRequests pending;
    private final BackendRuntime runtime;

    /** Null where no other process can have the store open. */
    private final Peers peers;

    public StoredCluster(
            Membership membership,
            Elector elector,
            PendingRequests pending,
            BackendRuntime runtime,
            Peers peers) {
        this.membership = membership;
        this.elector = elector;
        this.pending = pending;
        this.runtime = runtime;
        this.peers = peers;
    }

    @Override
    public boolean isShared() {
        return peers != null;
    }

    @Override
    public CompletableFuture<List<Member>> members() {
        return answer(() -> CompletableFuture.completedFuture(membership.list()));
    }

    @Override
    public CompletableFuture<Member> add(List<String> peerUrls) {
        return answer(
                () -> {
                    long id = membership.idOf(elector.identity().clusterId(), peerUrls);
                    Member member = new Member(id, "", peerUrls, List.of());
                    return membership.put(member).thenApply(done -> member);
                });
    }

    @Override
    public CompletableFuture<Boolean> reaches(long id, List<String> peerUrls) {
        if (peers == null) {
            return CompletableFuture.completedFuture(false);
        }
        long clusterId = elector.identity().clusterId();
        return peers.reaches(new LeaderId(clusterId, id, LeaderId.ANY_EPOCH), peerUrls);
    }

    @Override
    public CompletableFuture<Void> update(Member member) {
        return answer(() -> membership.put(member));
    }

    @Override
    public CompletableFuture<Void> remove(long id) {
        return answer(() -> membership.remove(id));
    }

    @Override
    public CompletableFuture<Void> moveLeader(long id) {
        if (elector.term() == null) {
            return CompletableFuture.failedFuture(new BackendException(ErrorKind.NOT_LEADER));
        }
        if (id == elector.identity().memberId()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> moved = new CompletableFuture<>();
        Futures.onEnd(elector.resign(id, false), (done, failure) -> awaitLeader(id, moved));
        CompletableFuture<Void> shown =
                pending.answerInTime(moved, () -> ErrorKind.TRANSFER_TIMEOUT);
        Futures.onEnd(
                shown, (done, failure) -> moved.cancel(false)); // who waits no more, looks no more
        return shown;
    }

    private void awaitLeader(long wanted, CompletableFuture<Void> moved) {
        long leader =
                elector.term() != null
                        ? elector.identity().memberId()
                        : elector.followership().leaderId();
        if (leader == wanted) {
            moved.complete(null);
        } else if (leader != 0) {
            moved.completeExceptionally(new BackendException(ErrorKind.TRANSFER_TIMEOUT));
        } else if (!moved.isDone()) {
            runtime.scheduler()
                    .schedule(LOOK_PAUSE, runtime.prompt(), () -> awaitLeader(wanted, moved));
        }
    }

    private <T> CompletableFuture<T> answer(Supplier<CompletableFuture<T>> what) {
        CompletableFuture<T> made =
                CompletableFuture.completedFuture(null)
                        .thenComposeAsync(begun -> what.get(), runtime.readers())
                        .exceptionallyCompose(
                                failure -> CompletableFuture.failedFuture(Failures.of(failure)));
        return pending.answerInTime(made, () -> ErrorKind.TIMEOUT);
    }
}
