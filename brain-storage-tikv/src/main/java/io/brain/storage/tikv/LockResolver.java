package io.brain.storage.tikv;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.Action;
import io.brain.proto.tikv.Kvrpcpb.CheckTxnStatusRequest;
import io.brain.proto.tikv.Kvrpcpb.CheckTxnStatusResponse;
import io.brain.proto.tikv.Kvrpcpb.LockInfo;
import io.brain.proto.tikv.Kvrpcpb.ResolveLockRequest;
import io.brain.proto.tikv.Kvrpcpb.ResolveLockResponse;
import io.brain.proto.tikv.Kvrpcpb.ScanLockRequest;
import io.brain.proto.tikv.Kvrpcpb.ScanLockResponse;
import io.brain.proto.tikv.TikvGrpc.TikvFutureStub;
import io.brain.storage.StorageException;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.Counters;
import io.brain.storage.tikv.client.NoAnswerException;
import io.brain.storage.tikv.client.RegionFanout;
import io.brain.storage.tikv.client.RegionLocation;
import io.brain.storage.tikv.client.TimestampOracle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Determines the status of transactions and resolves the locks of those that ended. Thread-safe.
 */
final class LockResolver {
    private static final int ABANDONED_MAX = 1024;
    private static final int FENCED_OFF_MAX = 64;
    private static final int LOCKS_PER_KEY_MAX = 16;

    /**
     * A current timestamp later than the expiry of every lock: the greatest unsigned number. TiKV
     * would record any smaller value as a read timestamp.
     */
    private static final long AFTER_ALL = -1;

    private final RegionFanout fanout;
    private final TimestampOracle clock;
    private final InFlight inFlight;
    private final Counters counters;

    /** Start timestamps of own transactions that will never commit. */
    private final BoundedMap<Long, Boolean> abandoned = new BoundedMap<>(ABANDONED_MAX);

    /** Fenced-off primaries, with the timestamp of the fencing. */
    private final BoundedMap<ByteString, Long> fencedOff = new BoundedMap<>(FENCED_OFF_MAX);

    LockResolver(RegionFanout fanout, TimestampOracle clock, InFlight inFlight, Counters counters) {
        this.fanout = fanout;
        this.clock = clock;
        this.inFlight = inFlight;
        this.counters = counters;
    }

    /** Age of a transaction in milliseconds, as its locks' TTL counts it; rounded up. */
    long ageMillis(long startTs) {
        return clock.millisAtMost() - TimestampOracle.millis(startTs);
    }

    /** Records an own transaction whose commit was not and will not be sent. */
    void abandon(long startTs) {
        abandoned.put(startTs, true);
    }

    /**
     * Resolves the transaction that holds a lock on its primary {@code key}. From then on this
     * process does not wait for older transactions with that primary.
     *
     * @throws StorageException kind UNAVAILABLE if that cannot be done in time
     */
    void fenceOff(ByteString key, Backoff backoff) {
        long now = clock.now(backoff);
        fencedOff.put(key, now);
        for (LockInfo lock : on(key, now, backoff)) {
            if (lock.getPrimaryLock().equals(key)) {
                resolve(key, lock.getLockVersion(), backoff);
            }
        }
    }

    /** Lists the locks on a key. A read would skip locks that must commit later. */
    private List<LockInfo> on(ByteString key, long maxVersion, Backoff backoff) {
        ScanLockRequest.Builder request =
                ScanLockRequest.newBuilder()
                        .setStartKey(key)
                        .setEndKey(key.concat(ByteString.copyFrom(new byte[1])))
                        .setMaxVersion(maxVersion)
                        .setLimit(LOCKS_PER_KEY_MAX);
        while (true) {
            try {
                ScanLockResponse answer =
                        fanout.one(
                                key,
                                (stub, location) ->
                                        stub.kvScanLock(
                                                request.clone()
                                                        .setContext(location.context())
                                                        .build()),
                                r -> r.hasRegionError() ? r.getRegionError() : null,
                                backoff);
                if (!answer.hasError()) {
                    return answer.getLocksList();
                }
                backoff.pause("cannot scan locks: " + answer.getError(), null);
            } catch (NoAnswerException e) {
                backoff.pause("no response from store: " + e.getMessage(), e);
            }
        }
    }

    /**
     * Makes the end of a transaction final. Rolls an active transaction back, so only its owner may
     * call this.
     *
     * @return the commit timestamp; 0 if rolled back
     * @throws StorageException kind UNAVAILABLE if the status is unknown in time
     */
    long resolve(ByteString primary, long startTs, Backoff backoff) {
        CheckTxnStatusRequest.Builder request =
                CheckTxnStatusRequest.newBuilder()
                        .setPrimaryKey(primary)
                        .setLockTs(startTs)
                        .setCurrentTs(AFTER_ALL)
                        .setRollbackIfNotExist(true);
        while (true) {
            try {
                CheckTxnStatusResponse status = ask(request, backoff);
                if (!status.hasError()) {
                    return status.getCommitVersion();
                }
                backoff.pause("cannot resolve transaction: " + status.getError(), null);
            } catch (NoAnswerException e) {
                backoff.pause("no response from store: " + e.getMessage(), e);
            }
        }
    }

    /**
     * Start timestamps of active transactions.
     *
     * @param passable transactions that will commit after the reader's timestamp, if at all
     * @param living transactions that may commit before it
     */
    record Left(Set<Long> passable, Set<Long> living) {}

    /**
     * Resolves the locks of transactions that have ended.
     *
     * @param readTs minimum commit timestamp set for active transactions; 0 for none
     */
    Left clear(List<LockInfo> locks, long readTs, Backoff backoff) {
        counters.locksMet.add(locks.size());
        Map<Long, List<LockInfo>> byTransaction = new HashMap<>();
        for (LockInfo lock : locks) {
            byTransaction.computeIfAbsent(lock.getLockVersion(), v -> new ArrayList<>()).add(lock);
        }
        Left left = new Left(new HashSet<>(), new HashSet<>());
        for (List<LockInfo> ofOne : byTransaction.values()) {
            LockInfo lock = ofOne.get(0);
            backoff.beat();
            if (inFlight.awaitEnd(lock.getLockVersion())) {
                continue;
            }
            Status status = status(lock, readTs, backoff);
            if (status.commitTs >= 0) {
                resolveLocks(ofOne, status.commitTs, backoff);
            } else if (status.pushed) {
                left.passable.add(lock.getLockVersion());
            } else {
                left.living.add(lock.getLockVersion());
            }
        }
        return left;
    }

    /**
     * Status of a transaction.
     *
     * @param commitTs 0 if rolled back; -1 if active or unknown
     * @param pushed active, and can only commit after the reader's timestamp
     */
    private record Status(long commitTs, boolean pushed) {}

    private Status status(LockInfo lock, long readTs, Backoff backoff) {
        if (isOwnerless(lock)) {
            long commitTs = resolve(lock.getPrimaryLock(), lock.getLockVersion(), backoff);
            return new Status(commitTs, false);
        }
        long now = clock.now(backoff);
        boolean expired =
                TimestampOracle.millis(now)
                        >= TimestampOracle.millis(lock.getLockVersion()) + lock.getLockTtl();
        CheckTxnStatusRequest.Builder request =
                CheckTxnStatusRequest.newBuilder()
                        .setPrimaryKey(lock.getPrimaryLock())
                        .setLockTs(lock.getLockVersion())
                        .setCallerStartTs(readTs)
                        .setCurrentTs(now)
                        // Before the TTL the primary's prewrite may still arrive.
                        .setRollbackIfNotExist(expired);
        CheckTxnStatusResponse answer;
        try {
            answer = ask(request, backoff);
        } catch (NoAnswerException e) {
            return new Status(-1, false);
        }
        if (answer.hasError()) {
            return new Status(-1, false);
        }
        if (answer.getLockTtl() > 0) {
            return new Status(-1, readTs > 0 && answer.getAction() == Action.MinCommitTSPushed);
        }
        return new Status(answer.getCommitVersion(), false);
    }

    private boolean isOwnerless(LockInfo lock) {
        Long fencedOffAt = fencedOff.get(lock.getPrimaryLock());
        boolean old = fencedOffAt != null && lock.getLockVersion() <= fencedOffAt;
        return old || abandoned.get(lock.getLockVersion()) != null;
    }

    private CheckTxnStatusResponse ask(CheckTxnStatusRequest.Builder request, Backoff backoff) {
        return fanout.one(
                request.getPrimaryKey(),
                (stub, location) ->
                        stub.kvCheckTxnStatus(
                                request.clone().setContext(location.urgentContext()).build()),
                answer -> answer.hasRegionError() ? answer.getRegionError() : null,
                backoff);
    }

    /** Commits the locks of one transaction; rolls them back if {@code commitTs} is 0. */
    private void resolveLocks(List<LockInfo> locks, long commitTs, Backoff backoff) {
        fanout.run(locks, new Resolve(locks.get(0).getLockVersion(), commitTs), backoff);
    }

    private record Resolve(long startTs, long commitTs)
            implements RegionFanout.Request<LockInfo, ResolveLockResponse> {
        @Override
        public ByteString key(LockInfo lock) {
            return lock.getKey();
        }

        @Override
        public int size(LockInfo lock) {
            return lock.getKey().size();
        }

        @Override
        public ListenableFuture<ResolveLockResponse> send(
                TikvFutureStub stub, RegionLocation location, List<LockInfo> part) {
            ResolveLockRequest.Builder request =
                    ResolveLockRequest.newBuilder()
                            .setContext(location.urgentContext())
                            .setStartVersion(startTs)
                            .setCommitVersion(commitTs);
            part.forEach(lock -> request.addKeys(lock.getKey()));
            return stub.kvResolveLock(request.build());
        }

        @Override
        public Errorpb.Error regionError(ResolveLockResponse answer) {
            return answer.hasRegionError() ? answer.getRegionError() : null;
        }

        @Override
        public List<LockInfo> take(ResolveLockResponse answer, List<LockInfo> part) {
            if (answer.hasError()) {
                throw RefusedException.of(answer.getError());
            }
            return List.of();
        }
    }
}
