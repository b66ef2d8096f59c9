package io.brain.backend.cluster;

import io.brain.backend.cluster.election.ElectionSettings;
import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.ResolvingCommit;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Member;
import io.brain.backend.read.FairReaders;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.MemberRecord.Instance;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The stored members. */
public final class StoredCluster implements Cluster {
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(10);
    private static final int PUT_TRIES = 5;

    private final Store store;
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Elector elector;
    private final PendingRequests pending;
    private final BackendRuntime runtime;
    private final Executor readers;
    private final Peers peers;
    private final ResolvingCommit commits;

    public StoredCluster(
            Store store,
            Elector elector,
            PendingRequests pending,
            BackendRuntime runtime,
            FairReaders readers,
            Peers peers) {
        this.store = store;
        this.storage = store.storage();
        this.coder = store.coder();
        this.elector = elector;
        this.pending = pending;
        this.runtime = runtime;
        this.readers = readers.of(Tenant.SERVER);
        this.peers = peers;
        commits = new ResolvingCommit(storage, runtime);
    }

    @Override
    public boolean isShared() {
        return !store.isExclusive();
    }

    @Override
    public CompletableFuture<List<Member>> members() {
        return answer(() -> CompletableFuture.completedFuture(list()));
    }

    private List<Member> list() {
        List<Member> members = new ArrayList<>();
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(coder.members(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                long id = coder.memberId(cursor.key());
                members.add(MemberRecord.decode(id, cursor.value()).member());
            }
        }
        return members;
    }

    @Override
    public CompletableFuture<Member> add(List<String> peerUrls) {
        return answer(
                () -> {
                    long clusterId = elector.identity().clusterId();
                    long id = ElectionSettings.memberId(clusterId, peerUrls);
                    Member member = new Member(id, "", peerUrls, List.of());
                    return put(member, PUT_TRIES).thenApply(done -> member);
                });
    }

    @Override
    public CompletableFuture<Boolean> reaches(long id, List<String> peerUrls) {
        if (store.isExclusive()) {
            return CompletableFuture.completedFuture(false);
        }
        long clusterId = elector.identity().clusterId();
        return peers.reaches(new LeaderId(clusterId, id, LeaderId.ANY_EPOCH), peerUrls);
    }

    @Override
    public CompletableFuture<Void> update(Member member) {
        return answer(() -> put(member, PUT_TRIES));
    }

    /** Tries again if the member's process renewed the record between the read and the write. */
    private CompletableFuture<Void> put(Member member, int tries) {
        Bytes key = coder.memberKey(member.id());
        Bytes stored;
        try (Snapshot snapshot = storage.snapshot()) {
            stored = snapshot.get(key);
        }
        MemberRecord known = stored == null ? null : MemberRecord.decode(member.id(), stored);
        if (known != null && known.member().equals(member)) {
            return CompletableFuture.completedFuture(null);
        }
        Instance instance = known == null ? Instance.NONE : known.instance();
        MemberRecord record = new MemberRecord(member, runtime.random().nextLong(), instance);
        WriteBatch.Builder batch = WriteBatch.builder();
        ResolvingCommit.replace(batch, key, stored, record.encode());
        return commits.runOrFail(batch.build())
                .<Void>thenApply(committed -> null)
                .exceptionallyComposeAsync(
                        failure ->
                                tries > 1 && Failures.isOf(ErrorKind.LEADER_CHANGED, failure)
                                        ? put(member, tries - 1)
                                        : CompletableFuture.failedFuture(failure),
                        readers);
    }

    /** If the result is uncertain, the client may repeat the call. */
    @Override
    public CompletableFuture<Void> remove(long id) {
        WriteBatch batch = WriteBatch.builder().delete(coder.memberKey(id)).build();
        return answer(
                () ->
                        storage.commit(batch)
                                .<Void>thenApply(
                                        result -> {
                                            if (result instanceof CommitResult.Committed) {
                                                return null;
                                            }
                                            throw new BackendException(ErrorKind.TIMEOUT);
                                        })
                                .toCompletableFuture());
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
                pending.withTimeout(moved, () -> ErrorKind.TRANSFER_TIMEOUT);
        Futures.onEnd(shown, (done, failure) -> moved.cancel(false)); // ends the checks
        return shown;
    }

    private void awaitLeader(long wanted, CompletableFuture<Void> moved) {
        long leader =
                elector.term() != null
                        ? elector.identity().memberId()
                        : elector.follower().leaderId();
        if (leader == wanted) {
            moved.complete(null);
        } else if (leader != 0) {
            moved.completeExceptionally(new BackendException(ErrorKind.TRANSFER_TIMEOUT));
        } else if (!moved.isDone()) {
            runtime.scheduler()
                    .schedule(CHECK_INTERVAL, runtime.prompt(), () -> awaitLeader(wanted, moved));
        }
    }

    private <T> CompletableFuture<T> answer(Supplier<CompletableFuture<T>> operation) {
        CompletableFuture<T> result =
                CompletableFuture.completedFuture(null)
                        .thenComposeAsync(started -> operation.get(), readers);
        return pending.withTimeout(result, () -> ErrorKind.TIMEOUT);
    }
}
