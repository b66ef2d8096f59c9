package io.brain.backend.lead;

import io.brain.backend.key.LeaderRecord;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.write.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.Objects;

/**
 * What a node has seen of the leader's record, and from when on it may take over: when it has seen
 * the same record for a whole lease of its own clock, and no other. Belongs to the elector's
 * thread.
 */
final class LeaderSighting {
    /** The one that a leader named as its successor goes before the others by so much. */
    private static final Duration PRECEDENCE = Duration.ofMillis(500);

    /** Candidates spread over this, so that they seldom collide. */
    private static final long SPREAD_NANOS = Duration.ofMillis(30).toNanos();

    private final Store store;
    private final BackendRuntime runtime;
    private final long self;
    private final boolean alone;
    private Bytes stored;
    private LeaderRecord record;
    private long since;
    private Duration spread = Duration.ZERO;

    /**
     * Nothing was seen yet.
     *
     * @param self this node's member id
     * @param alone nobody else can lead
     */
    LeaderSighting(Store store, BackendRuntime runtime, long self, boolean alone) {
        this.store = store;
        this.runtime = runtime;
        this.self = self;
        this.alone = alone;
        since = runtime.clock().nanos();
    }

    /**
     * Reads the record; blocks.
     *
     * @return false if this node is no member any more
     */
    boolean look() {
        try (Snapshot snapshot = store.storage().snapshot()) {
            if (snapshot.get(store.coder().memberKey(self)) == null) {
                return false;
            }
            saw(snapshot.get(store.coder().leaderKey()));
            return true;
        }
    }

    private void saw(Bytes now) {
        if (!Objects.equals(stored, now)) {
            stored = now;
            record = now == null ? null : LeaderRecord.decode(now);
            since = runtime.clock().nanos();
            spread = Duration.ofNanos(runtime.random().nextLong(SPREAD_NANOS));
        }
    }

    /** The record as it is stored; null if there is none. */
    Bytes stored() {
        return stored;
    }

    /** The record; null if there is none, or if its holder resigned. */
    LeaderRecord leader() {
        return record == null || record.isResigned() ? null : record;
    }

    /** Time until this node may take over; zero or less: now. */
    Duration untilFree() {
        Duration age = Duration.ofNanos(runtime.clock().nanos() - since);
        return alone ? Duration.ZERO : patience().minus(age);
    }

    private Duration patience() {
        if (record == null) {
            return spread;
        }
        if (record.isResigned()) {
            long next = record.successor();
            return next == self ? Duration.ZERO : next == 0 ? spread : PRECEDENCE.plus(spread);
        }
        // A record of this member is one of an earlier life: nobody else goes by this name.
        return record.memberId() == self ? Duration.ZERO : record.lease().plus(spread);
    }
}
