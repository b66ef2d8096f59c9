package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * Names the leader. The leader renews the record within each lease; a candidate that has seen no
 * change for one lease may take over.
 *
 * @param memberId the member that leads; 0 if it resigned
 * @param epoch number of the leadership
 * @param renewal +1 with each renewal: makes each record unique; 0 if {@code given} is not null
 * @param lease validity after the record was stored; zero if there are no other candidates
 * @param revision newest published revision when the leader stored the record: without a leader no
 *     other node shows a newer one, or clients would see revisions go back
 * @param peerUrls where the leader serves other members
 * @param instance random number of the process that leads; 0 if there are no other candidates
 * @param given the epoch's first fence, if the last leader stored the record for a member that may
 *     not know of it yet; null otherwise
 */
public record LeaderRecord(
        long memberId,
        long epoch,
        long renewal,
        Duration lease,
        long revision,
        List<String> peerUrls,
        long instance,
        Fence given) {
    /** Copies the list. */
    public LeaderRecord {
        peerUrls = List.copyOf(peerUrls);
    }

    /** The next record of the same leader, with its newest published revision. */
    public LeaderRecord renewed(long published) {
        long newest = Math.max(revision, published);
        return new LeaderRecord(
                memberId, epoch, renewal + 1, lease, newest, peerUrls, instance, null);
    }

    /** The record with another lease and other URLs. */
    public LeaderRecord with(Duration otherLease, List<String> otherUrls) {
        return new LeaderRecord(
                memberId, epoch, renewal, otherLease, revision, otherUrls, instance, given);
    }

    /** The record of a leader that resigns without a successor. */
    public LeaderRecord resigned() {
        return new LeaderRecord(0, epoch, renewal + 1, lease, revision, List.of(), instance, null);
    }

    /** A record of a process that this leader may choose as its successor, without its epoch. */
    public LeaderRecord successor(MemberRecord member) {
        return new LeaderRecord(
                member.member().id(),
                0,
                0,
                lease,
                0,
                member.member().peerUrls(),
                member.instance().id(),
                null);
    }

    /** The first record of an epoch, whose leader stores it. */
    public LeaderRecord promoted(Fence first) {
        return of(first, null);
    }

    /** The first record of an epoch, if the last leader stores it. */
    public LeaderRecord givenWith(Fence first) {
        return of(first, first);
    }

    private LeaderRecord of(Fence first, Fence stored) {
        return new LeaderRecord(
                memberId,
                first.epoch(),
                renewal,
                lease,
                first.revision(),
                peerUrls,
                instance,
                stored);
    }

    /** True if the named process has not confirmed that it leads. */
    public boolean isUnconfirmed() {
        return given != null;
    }

    public boolean isResigned() {
        return memberId == 0;
    }

    /**
     * The newest revision that other nodes may show of a state stored with this record.
     *
     * @param newest the last revision of that state
     */
    public long shown(long newest) {
        return isResigned() || lease.isZero() ? newest : Math.min(newest, revision);
    }

    /** True if it names the same leadership with the same URLs. */
    public boolean sameTerm(LeaderRecord other) {
        return memberId == other.memberId
                && epoch == other.epoch
                && peerUrls.equals(other.peerUrls);
    }

    /**
     * The stored form: six numbers of 8 bytes (the lease in milliseconds, the fifth unused), the
     * URLs, the instance (8 bytes), and the fence with its length unless it is null; only the first
     * two numbers if there are no other candidates.
     */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(2 * Long.BYTES).putLong(memberId).putLong(epoch);
        if (lease.isZero()) {
            return out.finish();
        }
        out.putLong(renewal).putLong(lease.toMillis()).putLong(0).putLong(revision);
        out.putStrings(peerUrls).putLong(instance);
        return (given == null ? out : out.putSized(given.encode())).finish();
    }

    /** Reads the stored form. */
    public static LeaderRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        long memberId = in.getLong();
        long epoch = in.getLong();
        if (!in.hasMore()) {
            return new LeaderRecord(memberId, epoch, 0, Duration.ZERO, 0, List.of(), 0, null);
        }
        long renewal = in.getLong();
        Duration lease = Duration.ofMillis(in.getLong());
        in.getLong();
        return new LeaderRecord(
                memberId,
                epoch,
                renewal,
                lease,
                in.getLong(),
                in.getStrings(),
                in.getLong(),
                in.hasMore() ? Fence.decode(in.getSized()) : null);
    }
}
