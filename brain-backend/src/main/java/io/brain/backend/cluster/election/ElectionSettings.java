package io.brain.backend.cluster.election;

import io.brain.backend.store.LeaderRecord;
import java.time.Duration;
import java.util.List;

/**
 * How a node takes part in a cluster.
 *
 * @param name of the member
 * @param peerUrls where it serves other members; together they identify it
 * @param clientUrls where it serves clients
 * @param lease how long a leader counts as one without a sign of life; another node takes over no
 *     sooner
 * @param process text for operators that identifies this process: process id, host, start time
 */
public record ElectionSettings(
        String name,
        List<String> peerUrls,
        List<String> clientUrls,
        Duration lease,
        String process) {
    private static final Duration LEASE_MIN = Duration.ofMillis(500);
    private static final int RENEWALS_PER_LEASE = 3;
    private static final Duration CONTACT_MAX = Duration.ofMillis(1500);
    private static final Duration NAMED_MAX = Duration.ofSeconds(5);
    private static final int DRIFT_PERCENT = 10;
    private static final Duration DRIFT = Duration.ofMillis(100);

    /** A member that is alone. */
    public static final ElectionSettings DEFAULTS =
            new ElectionSettings("default", List.of(), List.of(), Duration.ofSeconds(3), "");

    /** Checks the lease, and copies the lists. */
    public ElectionSettings {
        if (lease.compareTo(LEASE_MIN) < 0) {
            throw new IllegalArgumentException("a leader's lease is at least " + LEASE_MIN);
        }
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /**
     * What this node would store of itself as leader, but for the epoch.
     *
     * @param instance random number of this process
     * @param alone nobody else can lead: its lease counts for nobody
     */
    LeaderRecord candidate(long memberId, long instance, boolean alone) {
        return alone
                ? new LeaderRecord(memberId, 0, 0, Duration.ZERO, 0, 0, List.of(), 0)
                : new LeaderRecord(memberId, 0, 0, lease, 0, 0, peerUrls, instance);
    }

    /** Time between renewals, and between looks at the leader's record. */
    Duration interval() {
        return lease.dividedBy(RENEWALS_PER_LEASE);
    }

    /**
     * How long a leader may be sure after it began to store its record: the lease, less what clocks
     * may differ in speed meanwhile.
     */
    Duration sure() {
        return lease.minus(lease.multipliedBy(DRIFT_PERCENT).dividedBy(100)).minus(DRIFT);
    }

    /** Silence of the leader after which a follower says that there is none. */
    Duration named() {
        return lease.compareTo(NAMED_MAX) < 0 ? lease : NAMED_MAX;
    }

    /** Silence of the leader after which a follower asks it for nothing. */
    Duration contact() {
        Duration half = lease.dividedBy(2);
        return half.compareTo(CONTACT_MAX) < 0 ? half : CONTACT_MAX;
    }

    /** A leader tells its followers something at least so often. */
    Duration heartbeat() {
        return contact().dividedBy(3);
    }
}
