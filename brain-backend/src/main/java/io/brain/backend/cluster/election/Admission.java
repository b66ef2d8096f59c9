package io.brain.backend.cluster.election;

import io.brain.backend.model.Futures;
import io.brain.backend.model.Member;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a process to become a member: it creates the cluster if it is the first, and
 * claims the member record, for which it waits while another process may still hold it. It observes
 * the leader record meanwhile, so that both leases pass at once. Belongs to the elector's thread.
 */
final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final Store store;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final ResolvingCommit commits;
    private final BooleanSupplier closed;
    private final CompletableFuture<Admitted> done = new CompletableFuture<>();
    private boolean waiting;

    /**
     * Creates an attempt.
     *
     * @param closed true if the node was closed: the attempt stops without a result
     */
    Admission(
            Store store,
            BackendRuntime runtime,
            ElectionSettings settings,
            ResolvingCommit commits,
            BooleanSupplier closed) {
        this.store = store;
        this.runtime = runtime;
        this.settings = settings;
        this.commits = commits;
        this.closed = closed;
    }

    /**
     * The start state of an admitted process.
     *
     * @param instance its claim on the member record
     */
    record Admitted(
            IdentityRecord identity, InstanceLease instance, LeaderObservation observation) {}

    /**
     * Starts; blocks while it reads. Fails with LEADER_CHANGED if another process interfered (try
     * again), or with a {@link StorageException}, of kind REFUSED if another running process is
     * this member.
     */
    CompletableFuture<Admitted> run() {
        Futures.onEnd(
                CompletableFuture.completedFuture(null)
                        .thenCompose(started -> createCluster())
                        .thenAcceptAsync(this::claim, runtime.elector()),
                (claimed, failure) -> failed(failure));
        return done;
    }

    /** Stores what is missing: the identity, and on exclusive storage this member. */
    private CompletableFuture<IdentityRecord> createCluster() {
        KeyCoder coder = store.coder();
        IdentityRecord stored = StoreState.read(store.storage(), coder).identity();
        IdentityRecord identity = stored == null ? IdentityRecord.random(runtime.random()) : stored;
        WriteBatch.Builder batch = WriteBatch.builder();
        if (stored == null) {
            batch.putIfAbsent(coder.identityKey(), identity.encode());
        }
        IdentityRecord self = identity;
        if (store.isExclusive()) {
            putMember(batch, settings.member(identity.memberId()));
        } else {
            long clusterId = identity.clusterId();
            long memberId = ElectionSettings.memberId(clusterId, settings.peerUrls());
            self = new IdentityRecord(clusterId, memberId);
        }
        IdentityRecord result = self;
        return batch.size() == 0
                ? CompletableFuture.completedFuture(result)
                : commits.runOrFail(batch.build()).thenApply(committed -> result);
    }

    /** The stored peer URLs stay, as in etcd: they may be those of a member update. */
    private void putMember(WriteBatch.Builder batch, Member self) {
        Bytes key = store.coder().memberKey(self.id());
        try (Snapshot snapshot = store.storage().snapshot()) {
            Bytes stored = snapshot.get(key);
            Member known = stored == null ? null : MemberRecord.decode(self.id(), stored).member();
            Member next = known == null ? self : self.withPeerUrls(known.peerUrls());
            if (!next.equals(known)) {
                long edition = runtime.random().nextLong();
                MemberRecord record = new MemberRecord(next, edition, MemberRecord.Instance.NONE);
                ResolvingCommit.replace(batch, key, stored, record.encode());
            }
        }
    }

    private void claim(IdentityRecord self) {
        long id = self.memberId();
        InstanceLease instance = new InstanceLease(store, runtime, settings, commits, id);
        LeaderObservation observation =
                new LeaderObservation(store, runtime, id, settings, instance);
        Admitted admitted = new Admitted(self, instance, observation);
        if (store.isExclusive()) {
            done.complete(admitted);
        } else {
            claim(admitted);
        }
    }

    private void claim(Admitted admitted) {
        if (closed.getAsBoolean()) {
            return;
        }
        InstanceLease instance = admitted.instance();
        try {
            admitted.observation().read();
        } catch (RuntimeException failure) {
            done.completeExceptionally(failure);
            return;
        }
        StorageException refusal = instance.refusal();
        if (refusal != null) {
            done.completeExceptionally(refusal);
        } else if (instance.isFree()) {
            Futures.onEnd(
                    instance.claim().thenAccept(claimed -> done.complete(admitted)),
                    (claimed, failure) -> failed(failure));
        } else {
            if (!waiting) {
                waiting = true;
                LOG.info("waiting for another process of this member: {}", instance.holderText());
            }
            Duration wait = instance.untilFree();
            Duration interval = settings.renewalInterval();
            Duration pause = wait.compareTo(interval) < 0 ? wait : interval;
            runtime.scheduler().schedule(pause, runtime.elector(), () -> claim(admitted));
        }
    }

    private void failed(Throwable failure) {
        if (failure != null) {
            done.completeExceptionally(failure);
        }
    }
}
