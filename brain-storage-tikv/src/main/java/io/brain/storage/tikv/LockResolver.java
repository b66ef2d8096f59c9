package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tikv.kvproto.Errorpb;
import org.tikv.kvproto.Kvrpcpb.Action;
import org.tikv.kvproto.Kvrpcpb.CheckTxnStatusRequest;
import org.tikv.kvproto.Kvrpcpb.CheckTxnStatusResponse;
import org.tikv.kvproto.Kvrpcpb.Context;
import org.tikv.kvproto.Kvrpcpb.LockInfo;
import org.tikv.kvproto.Kvrpcpb.ResolveLockRequest;
import org.tikv.kvproto.Kvrpcpb.ResolveLockResponse;
import org.tikv.kvproto.Kvrpcpb.ScanLockRequest;
import org.tikv.kvproto.Kvrpcpb.ScanLockResponse;
import org.tikv.kvproto.TikvGrpc.TikvFutureStub;
import org.tikv.shade.com.google.common.util.concurrent.ListenableFuture;
import org.tikv.shade.com.google.protobuf.ByteString;

/** Finds out what became of transactions, and clears the locks of those that ended. Thread-safe. */
final class LockResolver {
    private static final int ABANDONED_MAX = 1024;
    private static final int FENCED_OFF_MAX = 64;
    private static final int LOCKS_PER_KEY_MAX = 16;

    /**
     * "After every lock's time": the greatest unsigned number. TiKV takes any smaller one for a
     * reader's timestamp, and would keep it.
     */
    private static final long AFTER_ALL = -1;

    private final RegionFanout fanout;
    private final TimestampOracle clock;
    private final InFlight inFlight;
    private final Counters counters;

    /** Start timestamps of our own that will never be committed: nobody need wait for those. */
    private final BoundedMap<Long, Boolean> abandoned = new BoundedMap<>(ABANDONED_MAX);

    /** Primaries whose owners are gone, with the timestamp at which that was said. */
    private final BoundedMap<ByteString, Long> fencedOff = new BoundedMap<>(FENCED_OFF_MAX);

    LockResolver(RegionFanout fanout, TimestampOracle clock, InFlight inFlight, Counters counters) {
        this.fanout = fanout;
        this.clock = clock;
        this.inFlight = inFlight;
        this.counters = counters;
    }

    /** No commit of this transaction of ours was, or will be, sent. */
    void abandon(long startTs) {
        abandoned.put(startTs, true);
    }

    /**
     * Resolves the transaction that holds its primary {@code key} now; from now on nobody here
     * waits for what that primary's owner began before.
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

    /** The locks on a key. Not found by a read, which passes those that must commit later. */
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
                backoff.pause("locks cannot be listed: " + answer.getError(), null);
            } catch (NoAnswerException e) {
                backoff.pause("a store does not answer: " + e.getMessage(), e);
            }
        }
    }

    /**
     * The commit timestamp of a transaction; 0 if it is rolled back, for good. A living one is
     * rolled back too: only for its owner.
     *
     * @throws StorageException kind UNAVAILABLE if that cannot be told in time
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
                backoff.pause("a transaction cannot be resolved: " + status.getError(), null);
            } catch (NoAnswerException e) {
                backoff.pause("a store does not answer: " + e.getMessage(), e);
            }
        }
    }

    /**
     * Transactions that have not ended, by their start timestamps.
     *
     * @param passable those that a reader may pass, as they will commit after its timestamp
     * @param living those that it may not
     */
    record Left(Set<Long> passable, Set<Long> living) {}

    /**
     * Clears the locks of transactions that have ended.
     *
     * @param readTs living ones are made to commit after this timestamp; 0 to leave them alone
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
     * What is known of a transaction.
     *
     * @param commitTs 0 if it was rolled back; -1 if it lives
     * @param pushed it lives, and can only commit after the reader's timestamp
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
                        // The primary's prewrite may still be on its way: respect its time.
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
                                request.clone().setContext(location.context()).build()),
                answer -> answer.hasRegionError() ? answer.getRegionError() : null,
                backoff);
    }

    /** Commits (or, at 0, rolls back) locks of one transaction. */
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
                TikvFutureStub stub, Context context, List<LockInfo> part) {
            ResolveLockRequest.Builder request =
                    ResolveLockRequest.newBuilder()
                            .setContext(context)
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
