package io.brain.backend.txn;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.storage.Bytes;
import java.util.NavigableMap;

/** Reads that were fixed while a transaction was evaluated, and are done after it committed. */
@FunctionalInterface
public interface PinnedReader {
    /**
     * Answers {@code query} on the state at {@code revision} with {@code overlay} on top. The
     * query's own revision is ignored, and so is the compaction floor: the caller has pinned the
     * revision. Blocks; runs on a reader thread.
     *
     * @param overlay changed keys of the query's span: the encoded KeyValue, or {@link Bytes#EMPTY}
     *     for a deleted key
     * @param headerRevision the revision that the answer carries
     */
    OpResult.Range readPinned(
            RangeQuery query,
            long revision,
            NavigableMap<Bytes, Bytes> overlay,
            long headerRevision);
}
