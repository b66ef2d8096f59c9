package io.brain.storage.tikv;

import io.brain.proto.tikv.Kvrpcpb.Context;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Timestamp at which a snapshot reads. Thread-safe.
 *
 * @param timestamp the snapshot sees commits up to it
 * @param passable start timestamps of transactions that can only commit later, so their locks are
 *     skipped. Bounded by the transactions in flight when the snapshot was opened.
 */
record ReadPoint(long timestamp, Set<Long> passable) {
    ReadPoint(long timestamp) {
        this(timestamp, ConcurrentHashMap.newKeySet());
    }

    /** Adds the locks to skip to a region's request context. */
    Context in(Context region) {
        return passable.isEmpty()
                ? region
                : region.toBuilder().addAllResolvedLocks(passable).build();
    }
}
