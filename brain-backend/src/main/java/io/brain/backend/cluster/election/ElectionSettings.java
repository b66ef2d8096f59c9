package io.brain.backend.cluster.election;

import io.brain.backend.model.Member;
import io.brain.backend.store.LeaderRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;

/**
 * Settings of a cluster member.
 *
 * @param peerUrls where it serves other members; they determine the member id
 * @param clientUrls where it serves clients
 * @param lease time after which another node takes over if the leader record is not renewed
 * @param process text for operators that identifies the process: process id, host, start time
 * @param strictReads whether each answer that is not written needs a commit that proves the
 *     leadership; otherwise this machine's clock proves it for {@link #sureTime}
 */
public record ElectionSettings(
        String name,
        List<String> peerUrls,
        List<String> clientUrls,
        Duration lease,
        String process,
        boolean strictReads) {
    private static final Duration LEASE_MIN = Duration.ofMillis(500);
    private static final int RENEWALS_PER_LEASE = 3;

    /** Longer than usual pauses of a process and of its storage. */
    private static final Duration SILENT_LEASE_MIN = Duration.ofMillis(500);

    private static final int SILENT_LEASES_PER_LEASE = 6;
    private static final int HEARTBEATS_PER_TIMEOUT = 3;
    private static final Duration CONTACT_MAX = Duration.ofMillis(1500);
    private static final Duration NAMED_MAX = Duration.ofSeconds(5);
    private static final int CLOCK_DRIFT_PERCENT = 10;
    private static final Duration SAFETY_MARGIN = Duration.ofMillis(50);

    /** The settings of a single node. */
    public static final ElectionSettings DEFAULTS =
            new ElectionSettings("default", List.of(), List.of(), Duration.ofSeconds(3), "", false);

    /** Checks the lease and copies the lists. */
    public ElectionSettings {
        if (lease.compareTo(LEASE_MIN) < 0) {
            throw new IllegalArgumentException("a leader's lease is at least " + LEASE_MIN);
        }
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /** The id of the member with these peer URLs. */
    public static long memberId(long clusterId, List<String> peerUrls) {
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
            throw new IllegalStateException("SHA-256 is required", impossible);
        }
    }

    /** A copy with the lease of a leader, which tells how that leader behaves. */
    ElectionSettings of(LeaderRecord leader) {
        return new ElectionSettings(
                name, peerUrls, clientUrls, leader.lease(), process, strictReads);
    }

    /** A copy with or without strict reads. */
    public ElectionSettings withStrictReads(boolean strict) {
        return new ElectionSettings(name, peerUrls, clientUrls, lease, process, strict);
    }

    /** This member. */
    Member member(long id) {
        return new Member(id, name, peerUrls, clientUrls);
    }

    /**
     * This node's leader record without its epoch.
     *
     * @param instance random number of this process
     * @param exclusive no other node can be a candidate, so the record has no lease
     */
    LeaderRecord candidate(long memberId, long instance, boolean exclusive) {
        return exclusive
                ? new LeaderRecord(memberId, 0, 0, Duration.ZERO, 0, List.of(), 0, null)
                : new LeaderRecord(memberId, 0, 1, lease, 0, peerUrls, instance, null);
    }

    /** Time between reads of the leader record, and between renewals of a member record. */
    Duration renewalInterval() {
        return lease.dividedBy(RENEWALS_PER_LEASE);
    }

    /** Time between renewals of the leader record. */
    Duration leaderRenewalInterval() {
        return silentLease().dividedBy(RENEWALS_PER_LEASE);
    }

    /**
     * Time after which another node takes over if the leader record is not renewed and the leader
     * sends that node nothing either.
     */
    Duration silentLease() {
        Duration part = lease.dividedBy(SILENT_LEASES_PER_LEASE);
        return part.compareTo(SILENT_LEASE_MIN) < 0 ? SILENT_LEASE_MIN : part;
    }

    /** Time without an update after which a leader is silent. */
    Duration silence() {
        return silentLease().dividedBy(2);
    }

    /**
     * Time after the start of a renewal in which no other node can take over. Zero with strict
     * reads: a clock that stood still with its machine would prove too much.
     */
    Duration sureTime() {
        return strictReads ? Duration.ZERO : onAnyClock(silentLease());
    }

    /**
     * Time after the start of a renewal in which no node takes over that this one sends updates to.
     */
    Duration heldTime() {
        return onAnyClock(lease);
    }

    /** A time minus the possible drift between clocks. */
    private static Duration onAnyClock(Duration time) {
        return time.minus(time.multipliedBy(CLOCK_DRIFT_PERCENT).dividedBy(100))
                .minus(SAFETY_MARGIN);
    }

    /** Time without an update after which a follower reports no leader. */
    Duration leaderTimeout() {
        return shorter(lease, NAMED_MAX);
    }

    /** Time without an update after which a follower sends the leader no calls. */
    Duration contactTimeout() {
        return shorter(lease.dividedBy(2), CONTACT_MAX);
    }

    /** Maximum time between updates of an event stream. */
    Duration heartbeat() {
        return shorter(silence(), contactTimeout()).dividedBy(HEARTBEATS_PER_TIMEOUT);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
