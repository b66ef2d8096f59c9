package io.brain.backend.cluster.election;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import java.time.Duration;

/**
 * What a node has seen of the leader's record, and from when on it may take over: when it has seen
 * the same record for a whole lease of its own clock, and no other, while the store answered.
 * Belongs to the elector's thread.
 */
final class LeaderObservation {
    /** The one that a leader named as its successor goes before the others by so much. */
    private static final Duration PRECEDENCE = Duration.ofMillis(500);

    /** Candidates spread over this, so that they seldom collide. */
    private static final long SPREAD_NANOS = Duration.ofMillis(30).toNanos();

    private final Store store;
    private final BackendRuntime runtime;
    private final long self;
    private final boolean alone;
    private final InstanceLease instance;
    private final RecordObservation sighting;
    private LeaderRecord record;
    private Duration spread = Duration.ZERO;

    /**
     * Nothing was seen yet.
     *
     * @param self this node's member id
     * @param instance told what was seen of this node's own record
     * @param alone nobody else can lead
     */
    LeaderObservation(
            Store store, BackendRuntime runtime, long self, InstanceLease instance, boolean alone) {
        this.store = store;
        this.runtime = runtime;
        this.self = self;
        this.instance = instance;
        this.alone = alone;
        sighting = new RecordObservation(runtime.clock());
    }

    /** Reads the record, and that of this node as a member; blocks. */
    void look() {
        long began = runtime.clock().nanos();
        try (Snapshot snapshot = store.storage().snapshot()) {
            Bytes member = snapshot.get(store.coder().memberKey(self));
            Bytes leader = snapshot.get(store.coder().leaderKey());
            instance.saw(member, began);
            saw(leader, began);
        } catch (RuntimeException away) {
            instance.missed();
            sighting.missed();
            throw away;
        }
    }

    private void saw(Bytes now, long began) {
        if (sighting.saw(now, began)) {
            record = now == null ? null : LeaderRecord.decode(now);
            spread = Duration.ofNanos(runtime.random().nextLong(SPREAD_NANOS));
        }
    }

    /** The record as it is stored; null if there is none. */
    Bytes stored() {
        return sighting.stored();
    }

    /** The record; null if there is none, or if its holder resigned. */
    LeaderRecord leader() {
        return record == null || record.isResigned() ? null : record;
    }

    /** Time until this node may take over; zero or less: now. */
    Duration untilFree() {
        return alone ? Duration.ZERO : patience().minus(sighting.unchanged());
    }

    private Duration patience() {
        if (record == null) {
            return spread;
        }
        if (record.isResigned()) {
            long next = record.successor();
            return next == self ? Duration.ZERO : next == 0 ? spread : PRECEDENCE.plus(spread);
        }
        // Nobody else renews a record of this process; one of this member may be another's.
        boolean own = record.memberId() == self && record.instance() == instance.id();
        return own ? Duration.ZERO : record.lease().plus(spread);
    }
}
