package io.brain.backend.cluster.election;

import io.brain.backend.model.Member;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.MemberRecord.Instance;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The lease of this process on its member record, so that one process at a time serves as a member.
 * A process renews the record before its lease ends. A process that finds another one in the record
 * waits until that lease has ended, or ends itself if the other one renews. Does nothing on
 * exclusive storage. Belongs to the elector's thread.
 */
final class InstanceLease {
    /** The first change may be a renewal sent by a process that has ended since. */
    private static final int CHANGES_OF_A_RUNNING_PROCESS = 2;

    private final Store store;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final ResolvingCommit commits;
    private final Instance self;
    private final long memberId;
    private final RecordObservation observation;
    private MemberRecord record;
    private Bytes stored;
    private boolean claimed;
    private boolean released;
    private long writeStart;
    private CompletableFuture<Void> write = CompletableFuture.completedFuture(null);

    InstanceLease(
            Store store,
            BackendRuntime runtime,
            ElectionSettings settings,
            ResolvingCommit commits,
            long memberId) {
        this.store = store;
        this.runtime = runtime;
        this.settings = settings;
        this.commits = commits;
        this.memberId = memberId;
        long id = runtime.random().nextLong();
        self = new Instance(id == 0 ? 1 : id, settings.lease(), settings.process());
        observation = new RecordObservation(runtime.clock());
        claimed = store.isExclusive();
    }

    /** Random number of this process. */
    long id() {
        return self.id();
    }

    /** Adds a read of the member record; see {@link RecordObservation#onRead}. */
    void onRead(Bytes now, long start) {
        observation.onRead(now, start);
        stored = now;
        record = now == null ? null : MemberRecord.decode(memberId, now);
    }

    /** Adds a failed read of the member record. */
    void onReadFailed() {
        observation.onReadFailed();
    }

    /** True if the record names no process, or one whose lease has ended. */
    boolean isFree() {
        return record == null || holder().id() == 0 || untilFree().compareTo(Duration.ZERO) <= 0;
    }

    /** Why this process must end; null if it may run. */
    StorageException refusal() {
        if (claimed && record == null) {
            return refused("this member was removed from the cluster");
        }
        if (store.isExclusive() || released || record == null) {
            return null;
        }
        long holder = holder().id();
        if (holder == self.id() || holder == 0) { // 0: removed and added again
            return null;
        }
        if (claimed) {
            return refused(
                    "another process took over this member, as this process did not renew its"
                            + " record in the store for --leader-lease: "
                            + holderText());
        }
        return observation.changes() < CHANGES_OF_A_RUNNING_PROCESS
                ? null
                : refused(
                        "another process that runs has the same peer URLs: "
                                + holderText()
                                + "; give each server its own --initial-advertise-peer-urls");
    }

    /** Describes the process in the record for operators. */
    String holderText() {
        Member member = record.member();
        String process = holder().process().isEmpty() ? "" : ", " + holder().process();
        return "name " + member.name() + ", peer URLs " + member.peerUrls() + process;
    }

    /** Time until the lease in the record ends if the record does not change. */
    Duration untilFree() {
        return holder().lease().minus(observation.unchanged());
    }

    /** Writes this process into the record; fails with LEADER_CHANGED if the record has changed. */
    CompletableFuture<Void> claim() {
        write(settings.member(memberId), self);
        return write;
    }

    /** Renews the record if that is due. A failure shows in the next read of the record. */
    void renew() {
        long age = runtime.clock().nanos() - writeStart;
        boolean due = age >= settings.renewalInterval().dividedBy(2).toNanos();
        if (!store.isExclusive() && !released && due && write.isDone()) {
            write(record.member(), self);
        }
    }

    /** Frees the record for the next process; completes when that is stored or failed. */
    CompletableFuture<Void> release() {
        released = true;
        return write.handle((done, failure) -> null)
                .thenComposeAsync(ended -> releaseNow(), runtime.elector());
    }

    private CompletableFuture<Void> releaseNow() {
        if (store.isExclusive() || !claimed || record == null || holder().id() != self.id()) {
            return CompletableFuture.completedFuture(null);
        }
        write(record.member(), Instance.NONE);
        return write;
    }

    private void write(Member member, Instance instance) {
        MemberRecord next = new MemberRecord(member, runtime.random().nextLong(), instance);
        Bytes bytes = next.encode();
        writeStart = runtime.clock().nanos();
        WriteBatch.Builder batch = WriteBatch.builder();
        ResolvingCommit.replace(batch, store.coder().memberKey(memberId), stored, bytes);
        write =
                commits.runOrFail(batch.build())
                        .thenAcceptAsync(
                                done -> {
                                    claimed = true;
                                    stored = bytes;
                                    record = next;
                                },
                                runtime.elector());
    }

    private Instance holder() {
        return record.instance();
    }

    private static StorageException refused(String why) {
        return new StorageException(StorageException.Kind.REFUSED, why);
    }
}
