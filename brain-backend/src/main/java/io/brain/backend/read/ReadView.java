package io.brain.backend.read;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.read.Snapshots.Opened;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.wire.ArrayPool;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Snapshot;
import java.util.function.Supplier;

/**
 * The revisions that can be read at a read point: from the cache, and from one engine snapshot that
 * is opened when it is first needed. Used by one thread; must be closed.
 */
final class ReadView implements AutoCloseable {
    private final Supplier<Opened> engine;
    private final KeyCoder coder;
    private final long revision;
    private final HeadCache cache;
    private final ArrayPool arrays;
    private Opened opened;

    /**
     * A view.
     *
     * @param engine opens the snapshot
     * @param revision the newest revision to show; the snapshot may hold more
     * @param arrays for long answers
     */
    ReadView(
            Supplier<Opened> engine,
            KeyCoder coder,
            long revision,
            HeadCache cache,
            ArrayPool arrays) {
        this.engine = engine;
        this.coder = coder;
        this.revision = revision;
        this.cache = cache;
        this.arrays = arrays;
    }

    /** The newest revision to read, which is what headers show. */
    long revision() {
        return revision;
    }

    /** Throws FUTURE_REVISION or COMPACTED if {@code asked}, taken as it is, cannot be read. */
    void check(long asked) {
        long floor = opened().floor();
        if (asked > revision) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (asked < floor) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }

    /** Answers a range whose revision was checked; 0 and below mean the newest. */
    OpResult.Range range(RangeQuery query, ReadQuota meter) {
        long at = query.revision() > 0 ? query.revision() : revision;
        try (KeyIterator keys = keys(query.span(), at, !query.keysOnly() && !query.countOnly())) {
            return RangeAnswer.of(keys, query, revision, meter, arrays);
        }
    }

    /** Evaluates a compare against the newest state. */
    boolean holds(Compare compare, ReadQuota meter) {
        try (KeyIterator keys = keys(compare.span(), revision)) {
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
    KeyIterator keys(KeySpan span, long at) {
        return keys(span, at, true);
    }

    private KeyIterator keys(KeySpan span, long at, boolean values) {
        if (span.isEmpty()) {
            return KeyIterator.NONE;
        }
        return span.single()
                ? new PointRead(this, span.key(), at)
                : new RangeScan(this, span, at, values);
    }

    Snapshot snapshot() {
        return opened().snapshot();
    }

    KeyCoder coder() {
        return coder;
    }

    HeadCache cache() {
        return cache;
    }

    private Opened opened() {
        if (opened == null) {
            opened = engine.get();
        }
        return opened;
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.snapshot().close();
        }
    }
}
