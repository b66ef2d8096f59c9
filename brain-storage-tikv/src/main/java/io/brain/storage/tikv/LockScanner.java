package io.brain.storage.tikv;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.LockInfo;
import io.brain.proto.tikv.Kvrpcpb.ScanLockRequest;
import io.brain.proto.tikv.Kvrpcpb.ScanLockResponse;
import io.brain.storage.StorageException;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.Counters;
import io.brain.storage.tikv.client.NoAnswerException;
import io.brain.storage.tikv.client.RegionCache;
import io.brain.storage.tikv.client.RegionLocation;
import io.brain.storage.tikv.client.TimestampOracle;
import io.brain.storage.tikv.client.Wire;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves the locks of old transactions in all regions. Runs before garbage collection, because
 * collection removes the commit records that locks are resolved by.
 */
final class LockScanner {
    private static final Logger log = LoggerFactory.getLogger(LockScanner.class);
    private static final int PAGE = 256;

    /** Longer than a transaction that ends takes. */
    private static final Duration OLD = Duration.ofHours(1);

    private final RegionCache regions;
    private final LockResolver locks;
    private final Duration timeout;
    private final Counters counters;

    LockScanner(RegionCache regions, LockResolver locks, Duration timeout, Counters counters) {
        this.regions = regions;
        this.locks = locks;
        this.timeout = timeout;
        this.counters = counters;
    }

    private record Listed(List<LockInfo> locks, RegionLocation location) {}

    /**
     * Commits or rolls back every lock of a transaction that began at or before {@code timestamp},
     * in all regions. Active transactions keep their locks.
     *
     * @return timestamp up to which no lock remains: {@code timestamp}, or one before an active
     *     transaction
     * @throws StorageException kind UNAVAILABLE if a region was not completed in time
     * @throws RefusedException if a store refuses to resolve a lock
     */
    long upTo(long timestamp) {
        long clear = timestamp;
        ByteString key = ByteString.EMPTY;
        Backoff backoff = new Backoff(timeout);
        while (true) {
            Listed listed = list(key, clear, backoff);
            if (listed.locks.isEmpty()) {
                key = listed.location.end();
                if (key.isEmpty()) {
                    warnOfOld(clear, timestamp);
                    return clear;
                }
                backoff = new Backoff(timeout);
                continue;
            }
            counters.sweptLocks.add(listed.locks.size());
            for (long living : locks.clear(listed.locks, 0, backoff).living()) {
                clear = Math.min(clear, living - 1);
            }
            backoff = new Backoff(timeout); // these are resolved, or above the new limit
        }
    }

    /** Says that a lock holds back garbage collection: its client may have crashed. */
    private static void warnOfOld(long clear, long timestamp) {
        if (clear < TimestampOracle.before(timestamp, OLD)) {
            log.warn(
                    "a lock of another client prevents garbage collection startTimestamp={} age={}",
                    clear + 1,
                    Duration.ofMillis(
                            TimestampOracle.millis(timestamp) - TimestampOracle.millis(clear)));
        }
    }

    /** The first locks in the region of {@code key}, starting at it. */
    private Listed list(ByteString key, long maxVersion, Backoff backoff) {
        while (true) {
            RegionLocation location = regions.at(key, backoff);
            try {
                ScanLockResponse answer =
                        Wire.await(
                                regions.stub(location)
                                        .kvScanLock(
                                                ScanLockRequest.newBuilder()
                                                        .setContext(location.context())
                                                        .setStartKey(key)
                                                        .setEndKey(location.end())
                                                        .setMaxVersion(maxVersion)
                                                        .setLimit(PAGE)
                                                        .build()));
                if (!answer.hasRegionError() && !answer.hasError()) {
                    return new Listed(answer.getLocksList(), location);
                }
                String refusal =
                        answer.hasRegionError()
                                ? answer.getRegionError().getMessage()
                                : answer.getError().toString();
                long pauseMin = regions.refused(location, answer.getRegionError(), backoff);
                backoff.pause("cannot scan locks: " + refusal, pauseMin);
            } catch (NoAnswerException e) {
                regions.forget(location, e);
                backoff.pause("no response from store: " + e.getMessage(), e);
            }
        }
    }
}
