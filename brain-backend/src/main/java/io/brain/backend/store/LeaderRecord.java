package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * Who leads. Whoever holds it stores it again, one renewal on, before its lease has passed; whoever
 * has seen no other record for a whole lease may take over.
 *
 * @param memberId the member that leads; 0 if it resigned
 * @param epoch number of the leadership
 * @param renewal +1 with each renewal: makes every record's bytes unique
 * @param lease how long the record counts after it was stored; zero where there is no other
 *     candidate, so that nobody waits
 * @param successor the member that is to lead next; 0: any
 * @param revision the newest revision that the leader had published when it stored this: others may
 *     show no newer one by themselves, or its own readers would go back in time
 * @param peerUrls where the leader serves other members
 * @param instance random number of the process that leads; 0 of a leader without other candidates
 */
public record LeaderRecord(
        long memberId,
        long epoch,
        long renewal,
        Duration lease,
        long successor,
        long revision,
        List<String> peerUrls,
        long instance) {
    /** Copies the list. */
    public LeaderRecord {
        peerUrls = List.copyOf(peerUrls);
    }

    /** The same, stored once more, when {@code published} is the newest published revision. */
    public LeaderRecord renewed(long published) {
        return new LeaderRecord(
                memberId, epoch, renewal + 1, lease, successor, published, peerUrls, instance);
    }

    /** Nobody's: {@code next}, or anyone if that is 0, is to lead. */
    public LeaderRecord resigned(long next) {
        return new LeaderRecord(0, epoch, renewal + 1, lease, next, revision, List.of(), instance);
    }

    /** The same, as the leader of an epoch begins with it. */
    public LeaderRecord promoted(long newEpoch, long published) {
        return new LeaderRecord(memberId, newEpoch, 0, lease, 0, published, peerUrls, instance);
    }

    /** True if its holder gave it up. */
    public boolean isResigned() {
        return memberId == 0;
    }

    /**
     * How far others may show a state that they found in the store with this record.
     *
     * @param newest the last revision of that state
     */
    public long shown(long newest) {
        return isResigned() || lease.isZero() ? newest : Math.min(newest, revision);
    }

    /** True if it tells of the same leadership, and of the same places to ask for it. */
    public boolean sameTerm(LeaderRecord other) {
        return memberId == other.memberId
                && epoch == other.epoch
                && peerUrls.equals(other.peerUrls);
    }

    /**
     * The stored form: six numbers of 8 bytes (the lease in milliseconds), the URLs, and the
     * instance (8 bytes); of a leader without other candidates the first two numbers are all.
     */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(2 * Long.BYTES).putLong(memberId).putLong(epoch);
        if (lease.isZero()) {
            return out.finish();
        }
        out.putLong(renewal).putLong(lease.toMillis()).putLong(successor).putLong(revision);
        return Texts.write(out, peerUrls).putLong(instance).finish();
    }

    /** Reads the stored form. */
    public static LeaderRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        long memberId = in.getLong();
        long epoch = in.getLong();
        if (!in.hasMore()) {
            return new LeaderRecord(memberId, epoch, 0, Duration.ZERO, 0, 0, List.of(), 0);
        }
        return new LeaderRecord(
                memberId,
                epoch,
                in.getLong(),
                Duration.ofMillis(in.getLong()),
                in.getLong(),
                in.getLong(),
                Texts.read(in),
                in.getLong());
    }
}
