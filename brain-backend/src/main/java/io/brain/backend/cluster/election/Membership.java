package io.brain.backend.cluster.election;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Member;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The members of the cluster, as the store has them. A node puts itself down when it starts, by its
 * {@link InstanceLease} where others can have the store open; who leads has no part in it.
 * Thread-safe; reads block.
 */
public final class Membership {
    private static final int PUT_TRIES = 5;

    private final KvStorage storage;
    private final KeyCoder coder;
    private final BackendRuntime runtime;
    private final ResolvingCommit commits;
    private final ElectionSettings settings;
    private final boolean alone;

    /**
     * The members in one store.
     *
     * @param alone no other process can have the store open
     */
    public Membership(
            Store store, BackendRuntime runtime, ElectionSettings settings, boolean alone) {
        this.storage = store.storage();
        this.coder = store.coder();
        this.runtime = runtime;
        this.commits = new ResolvingCommit(storage, runtime);
        this.settings = settings;
        this.alone = alone;
    }

    /**
     * Puts the cluster down if this node is its first, and this node as a member if no other
     * process can have the store open; ends with their ids. What is there already stays. Fails with
     * LEADER_CHANGED if somebody else did something at the same time (try again), or with a {@link
     * io.brain.storage.StorageException}.
     */
    CompletableFuture<IdentityRecord> join() {
        // Also sees to it that the store is Brain's.
        IdentityRecord stored = StoreState.read(storage, coder).identity();
        WriteBatch.Builder batch = WriteBatch.builder();
        IdentityRecord identity = stored == null ? IdentityRecord.random(runtime.random()) : stored;
        if (stored == null) {
            batch.putIfAbsent(coder.identityKey(), identity.encode());
        }
        IdentityRecord self = self(identity);
        if (alone) {
            Member own =
                    new Member(
                            self.memberId(),
                            settings.name(),
                            settings.peerUrls(),
                            settings.clientUrls());
            put(batch, own, stored(own.id()));
        }
        return batch.size() == 0
                ? CompletableFuture.completedFuture(self)
                : commit(batch.build()).thenApply(done -> self);
    }

    /** All members, by their ids. */
    public List<Member> list() {
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

    /** The id of the member that serves its peers at these URLs. */
    public long idOf(long clusterId, List<String> peerUrls) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(clusterId).array());
            for (String url : peerUrls.stream().sorted().toList()) {
                digest.update(url.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            }
            long id = ByteBuffer.wrap(digest.digest()).getLong();
            return id == 0 ? 1 : id;
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** Stores a member, or changes it; ends when that is durable. */
    public CompletableFuture<Void> put(Member member) {
        return put(member, PUT_TRIES);
    }

    /** Its process may store the record between the read and the write. */
    private CompletableFuture<Void> put(Member member, int tries) {
        WriteBatch.Builder batch = WriteBatch.builder();
        put(batch, member, stored(member.id()));
        if (batch.size() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return commit(batch.build())
                .exceptionallyComposeAsync(
                        failure ->
                                tries > 1 && Failures.isOf(ErrorKind.LEADER_CHANGED, failure)
                                        ? put(member, tries - 1)
                                        : CompletableFuture.failedFuture(failure),
                        runtime.readers());
    }

    /**
     * Stores a member's record; fails with LEADER_CHANGED if it is not what was expected.
     *
     * @param expected null: there must be none
     */
    CompletableFuture<Void> replace(long id, Bytes expected, Bytes record) {
        WriteBatch.Builder batch = WriteBatch.builder();
        Bytes key = coder.memberKey(id);
        return commit(
                expected == null
                        ? batch.putIfAbsent(key, record).build()
                        : batch.compareAndSet(key, expected, record).build());
    }

    /** Strikes a member out; one that runs ends when it notices. */
    public CompletableFuture<Void> remove(long id) {
        return storage.commit(WriteBatch.builder().delete(coder.memberKey(id)).build())
                .thenCompose(
                        result -> {
                            if (result instanceof CommitResult.Committed) {
                                return CompletableFuture.<Void>completedFuture(null);
                            }
                            // Uncertain or not done: to do it again does no harm.
                            return CompletableFuture.<Void>failedFuture(
                                    new BackendException(ErrorKind.TIMEOUT));
                        })
                .toCompletableFuture();
    }

    private void put(WriteBatch.Builder batch, Member member, Bytes before) {
        long edition = runtime.random().nextLong();
        Bytes key = coder.memberKey(member.id());
        if (before == null) {
            MemberRecord record = new MemberRecord(member, edition, MemberRecord.Instance.NONE);
            batch.putIfAbsent(key, record.encode());
            return;
        }
        MemberRecord known = MemberRecord.decode(member.id(), before);
        if (!known.member().equals(member)) {
            MemberRecord record = new MemberRecord(member, edition, known.instance());
            batch.compareAndSet(key, before, record.encode());
        }
    }

    private Bytes stored(long id) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(coder.memberKey(id));
        }
    }

    private IdentityRecord self(IdentityRecord identity) {
        return alone
                ? identity
                : new IdentityRecord(
                        identity.clusterId(), idOf(identity.clusterId(), settings.peerUrls()));
    }

    private CompletableFuture<Void> commit(WriteBatch batch) {
        return commits.run(batch)
                .thenAccept(
                        result -> {
                            if (result instanceof CommitResult.Unavailable unavailable) {
                                throw unavailable.cause();
                            }
                            if (result instanceof CommitResult.Conflict) {
                                throw new BackendException(ErrorKind.LEADER_CHANGED);
                            }
                        });
    }
}
