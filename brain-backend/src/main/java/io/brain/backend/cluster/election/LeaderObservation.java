package io.brain.backend.cluster.election;

import io.brain.backend.cluster.link.LeaderContact;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.List;

/**
 * What this node knows of the leader record, and when it may take over: once the record has not
 * changed for its lease, on this node's clock, while the store responded. If the leader is silent
 * as well, a shorter time suffices, once in a lease and for a successor that does not confirm.
 * Belongs to the elector's thread.
 */
final class LeaderObservation {
    /** How long the others leave a takeover to the successor that the leader named. */
    private static final Duration TURN = Duration.ofMillis(100);

    /** Random delay of a candidate, so that candidates rarely collide. */
    private static final long SPREAD_NANOS = Duration.ofMillis(30).toNanos();

    private final Store store;
    private final BackendRuntime runtime;
    private final long self;
    private final ElectionSettings settings;
    private final InstanceLease instance;
    private final RecordObservation observation;
    private LeaderRecord record;
    private Duration spread = Duration.ZERO;

    /** When the term in the record was seen first, in the clock's nanoseconds. */
    private long termSince;

    /** Start of the last successful read, in the clock's nanoseconds. */
    private long readAt;

    /** The engine's timestamp of the last successful read. */
    private long timestamp;

    /**
     * Creates an observation without reads.
     *
     * @param self this node's member id
     * @param instance observes this node's member record
     */
    LeaderObservation(
            Store store,
            BackendRuntime runtime,
            long self,
            ElectionSettings settings,
            InstanceLease instance) {
        this.store = store;
        this.runtime = runtime;
        this.self = self;
        this.settings = settings;
        this.instance = instance;
        observation = new RecordObservation(runtime.clock());
    }

    /** Reads the leader record and this node's member record; blocks. */
    void read() {
        long start = runtime.clock().nanos();
        try {
            read(start, store.storage().timestamp());
        } catch (RuntimeException failure) {
            instance.onReadFailed();
            observation.onReadFailed();
            throw failure;
        }
    }

    private void read(long start, long now) {
        try (Snapshot snapshot = Store.openAt(store.storage(), now)) {
            List<Bytes> records =
                    snapshot.get(List.of(store.coder().memberKey(self), store.coder().leaderKey()));
            instance.onRead(records.get(0), start);
            Bytes leader = records.get(1);
            if (observation.onRead(leader, start)) {
                LeaderRecord next = leader == null ? null : LeaderRecord.decode(leader);
                if (next == null || record == null || !next.sameTerm(record)) {
                    termSince = start;
                }
                record = next;
                spread = Duration.ofNanos(runtime.random().nextLong(SPREAD_NANOS));
            }
            readAt = start;
            timestamp = now;
        }
    }

    /** Start of the last successful read, in the clock's nanoseconds. */
    long readAt() {
        return readAt;
    }

    /** The stored record; null if there is none. */
    Bytes stored() {
        return observation.stored();
    }

    /** True if the record is of a later term than a lease. */
    boolean isNewerThan(LeaderLease lease) {
        return record != null && record.epoch() > lease.epoch();
    }

    /**
     * The leadership that the last leader gave this process; null if it gave none. One term for
     * each epoch: two would commit batches with equal fences.
     *
     * @param last of this process's last term; null: none
     */
    Promotion.Acquired handedOver(LeaderLease last) {
        if (!isOwn() || !record.isUnconfirmed() || (last != null && !isNewerThan(last))) {
            return null;
        }
        Fence first = record.given();
        return new Promotion.Acquired(first, new ReadPoint(first.revision(), timestamp), record);
    }

    /**
     * True if it names this process, which alone renews it; a record of this member may be another
     * process's.
     */
    private boolean isOwn() {
        return record != null && record.memberId() == self && record.instance() == instance.id();
    }

    /** The record of another process; null if there is none or its leader resigned. */
    LeaderRecord leader() {
        return record == null || record.isResigned() || isOwn() ? null : record;
    }

    /**
     * Time until this node may take over; zero or less: now.
     *
     * @param follower what is heard of the leader
     */
    Duration untilFree(Follower follower) {
        if (store.isExclusive()) {
            return Duration.ZERO;
        }
        boolean silent = follower.untilSilent().isZero();
        LeaderContact last = follower.lastContact();
        return delay(silent, last).minus(silent ? unchanged(last) : observation.unchanged());
    }

    /**
     * Time for which the record has not changed. The leader may have told of it up to two renewals
     * before this node read it.
     *
     * @param last update of the leader; null: none
     */
    private Duration unchanged(LeaderContact last) {
        long observed = observation.unchanged().toNanos();
        if (record == null || last == null) {
            return Duration.ofNanos(observed);
        }
        long renewals = 2 * settings.of(record).leaderRenewalInterval().toNanos();
        long told = last.sinceTold(record, renewals, runtime.clock().nanos());
        return Duration.ofNanos(Math.max(observed, Math.min(told, observed + renewals)));
    }

    private Duration delay(boolean silent, LeaderContact last) {
        if (record == null || record.isResigned()) {
            return spread;
        }
        if (isOwn()) {
            return Duration.ZERO;
        }
        boolean old = runtime.clock().nanos() - termSince >= record.lease().toNanos();
        return (silent && (old || record.isUnconfirmed())
                        ? settings.of(record).silentLease()
                        : record.lease())
                .plus(turn(last));
    }

    private Duration turn(LeaderContact last) {
        long first = last != null && last.leader().sameTerm(record) ? last.successor() : 0;
        if (first == self) {
            return Duration.ZERO;
        }
        return first == 0 ? spread : TURN.plus(spread);
    }
}
