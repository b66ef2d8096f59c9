package io.brain.storage.tikv;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.tikv.kvproto.Kvrpcpb.Context;

/**
 * The timestamp that a snapshot reads at. Thread-safe.
 *
 * @param timestamp what was committed up to it is seen
 * @param passable start timestamps of transactions that are known to commit later, if at all: their
 *     locks do not matter. As many as were on their way when the snapshot was opened.
 */
record ReadPoint(long timestamp, Set<Long> passable) {
    ReadPoint(long timestamp) {
        this(timestamp, ConcurrentHashMap.newKeySet());
    }

    /** The region's context, with the locks to pass over. */
    Context in(Context region) {
        return passable.isEmpty()
                ? region
                : region.toBuilder().addAllResolvedLocks(passable).build();
    }
}
