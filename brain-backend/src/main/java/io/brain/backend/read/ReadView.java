package io.brain.backend.read;

import io.brain.backend.count.KeyCounts;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.wire.ArrayPool;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Snapshot;

/**
 * One engine snapshot and the revisions that can be read from it. Used by one thread; must be
 * closed.
 */
final class ReadView implements AutoCloseable {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final long revision;
    private final long floor;
    private final KeyCounts counts;
    private final ArrayPool arrays;

    /**
     * Takes over the snapshot.
     *
     * @param revision the newest revision to show; the snapshot may hold more
     * @param floor the oldest revision that the snapshot has whole; -1 if it has all
     * @param counts of all keys
     * @param arrays for long answers
     */
    ReadView(
            Snapshot snapshot,
            KeyCoder coder,
            long revision,
            long floor,
            KeyCounts counts,
            ArrayPool arrays) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.revision = revision;
        this.floor = floor;
        this.counts = counts;
        this.arrays = arrays;
    }

    /** The newest revision to read, which is what headers show. */
    long revision() {
        return revision;
    }

    /** Throws FUTURE_REVISION or COMPACTED if {@code asked}, taken as it is, cannot be read. */
    void check(long asked) {
        if (asked > revision) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (asked < floor) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }

    /** Answers a range whose revision was checked; 0 and below mean the newest. */
    OpResult.Range range(RangeQuery query, Meter meter) {
        long at = query.revision() > 0 ? query.revision() : revision;
        try (LiveKeys keys = keys(query.span(), at)) {
            return RangeAnswer.of(keys, query, revision, meter, arrays);
        }
    }

    /** Evaluates a compare against the newest state. */
    boolean holds(Compare compare, Meter meter) {
        try (LiveKeys keys = keys(compare.span(), revision)) {
            if (!keys.next()) {
                return compare.holds(null);
            }
            do {
                meter.passKey();
                if (!compare.holds(KeyValue.decode(keys.kv()))) {
                    return false;
                }
            } while (keys.next());
            return true;
        }
    }

    /** The keys of a span that exist at a revision. */
    LiveKeys keys(KeySpan span, long at) {
        if (span.isEmpty()) {
            return LiveKeys.NONE;
        }
        return span.single()
                ? new PointRead(snapshot, coder, span.key(), at)
                : new CountedWalk(
                        new KeyWalk(snapshot, coder, span, at), snapshot, span, coder, at, counts);
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
