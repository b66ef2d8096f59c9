package io.brain.backend.cluster.election;

import io.brain.backend.model.Member;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.MemberRecord.Instance;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * This process's claim to be its member: one process at a time may serve as a member. The member's
 * record names the process, which stores it again before its lease has passed; a process that finds
 * another one there waits until that one has let a lease pass, or gives up if it renews. Where no
 * other process can have the store open there is nothing to claim. Belongs to the elector's thread.
 */
final class InstanceLease {
    /** One change can be a renewal that a process sent before it was killed. */
    private static final int RENEWALS_OF_THE_LIVING = 2;

    private final Membership membership;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final boolean alone;
    private final Instance own;
    private final long memberId;
    private final RecordObservation sighting;
    private MemberRecord record;
    private Bytes stored;
    private boolean claimed;
    private boolean released;
    private long written;
    private CompletableFuture<Void> writing = CompletableFuture.completedFuture(null);

    /**
     * A claim that was not made yet.
     *
     * @param alone no other process can have the store open
     */
    InstanceLease(
            Membership membership,
            BackendRuntime runtime,
            ElectionSettings settings,
            long memberId,
            boolean alone) {
        this.membership = membership;
        this.runtime = runtime;
        this.settings = settings;
        this.memberId = memberId;
        this.alone = alone;
        own = new Instance(nonZero(runtime), settings.lease(), settings.process());
        sighting = new RecordObservation(runtime.clock());
        claimed = alone;
    }

    private static long nonZero(BackendRuntime runtime) {
        long id = runtime.random().nextLong();
        return id == 0 ? 1 : id;
    }

    /** Random number of this process. */
    long id() {
        return own.id();
    }

    /** The member's record was read; see {@link RecordObservation#saw}. */
    void saw(Bytes now, long began) {
        sighting.saw(now, began);
        stored = now;
        record = now == null ? null : MemberRecord.decode(memberId, now);
    }

    /** The member's record could not be read. */
    void missed() {
        sighting.missed();
    }

    /** True if no process that runs is named, as far as can be seen. */
    boolean isFree() {
        return record == null
                || holder().id() == 0
                || sighting.unchanged().compareTo(holder().lease()) >= 0;
    }

    /** Why this process must end; null if it need not. */
    StorageException refusal() {
        if (claimed && record == null) {
            return refused("this member was removed from the cluster");
        }
        if (alone || released || record == null) {
            return null;
        }
        long holder = holder().id();
        if (holder == own.id() || holder == 0) { // 0: removed and added again meanwhile
            return null;
        }
        if (claimed) {
            return refused(
                    "another process took over this member, as this process did not renew its"
                            + " record in the store for --leader-lease: "
                            + other());
        }
        return sighting.changes() < RENEWALS_OF_THE_LIVING
                ? null
                : refused(
                        "another process that runs has the same peer URLs: "
                                + other()
                                + "; give each server its own --initial-advertise-peer-urls");
    }

    /** The process that is named in the record, for operators. */
    String other() {
        Member member = record.member();
        String process = holder().process().isEmpty() ? "" : ", " + holder().process();
        return "name " + member.name() + ", peer URLs " + member.peerUrls() + process;
    }

    /** Time after which the member is free if its record does not change. */
    Duration untilFree() {
        return holder().lease().minus(sighting.unchanged());
    }

    /** Names this process in the record; fails with LEADER_CHANGED if the record has changed. */
    CompletableFuture<Void> claim() {
        Member member =
                new Member(memberId, settings.name(), settings.peerUrls(), settings.clientUrls());
        write(member, own);
        return writing;
    }

    /** Stores the record again if that is due. A failure shows in the next look at the record. */
    void renew() {
        long age = runtime.clock().nanos() - written;
        boolean due = age >= settings.interval().dividedBy(2).toNanos();
        if (!alone && !released && due && writing.isDone()) {
            write(record.member(), own);
        }
    }

    /** Lets the next process serve as this member at once; ends when that is stored, or failed. */
    CompletableFuture<Void> release() {
        released = true;
        return writing.handle((done, failure) -> null)
                .thenComposeAsync(ended -> releaseNow(), runtime.elector());
    }

    private CompletableFuture<Void> releaseNow() {
        if (alone || !claimed || record == null || holder().id() != own.id()) {
            return CompletableFuture.completedFuture(null);
        }
        write(record.member(), Instance.NONE);
        return writing;
    }

    private void write(Member member, Instance instance) {
        MemberRecord next = new MemberRecord(member, runtime.random().nextLong(), instance);
        Bytes bytes = next.encode();
        written = runtime.clock().nanos();
        writing =
                membership
                        .replace(memberId, stored, bytes)
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
