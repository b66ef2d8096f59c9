package io.brain.backend.read;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.function.Supplier;

/**
 * Reads at one read point, from the cache and from one engine snapshot that is opened on first use.
 * Used by one thread; must be closed.
 */
final class ReadView implements AutoCloseable {
    /**
     * An open snapshot.
     *
     * @param floor the oldest revision that it has completely; -1 if it has all
     */
    record Opened(Snapshot snapshot, long floor) {}

    private final Supplier<Opened> engine;
    private final KeyCoder coder;
    private final HeadCache cache;
    private final long revision;
    private Opened opened;

    /**
     * A view.
     *
     * @param engine opens the snapshot
     * @param revision the newest visible revision; the snapshot may have newer ones
     */
    ReadView(Supplier<Opened> engine, KeyCoder coder, HeadCache cache, long revision) {
        this.engine = engine;
        this.coder = coder;
        this.cache = cache;
        this.revision = revision;
    }

    /** The newest visible revision. */
    long revision() {
        return revision;
    }

    /** Throws FUTURE_REVISION or COMPACTED if {@code requested} cannot be read. */
    void check(long requested) {
        long floor = opened().floor();
        if (requested > revision) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (requested < floor) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }

    /** Reads a range whose revision was checked; 0 and below mean the newest. */
    OpResult.Range range(RangeQuery query, ReadQuota quota) {
        long at = query.revision() > 0 ? query.revision() : revision;
        try (KeyIterator keys = keys(query.span(), at, !query.keysOnly() && !query.countOnly())) {
            return RangeAnswer.of(keys, query, revision, quota);
        }
    }

    /** Evaluates a compare at the newest revision. */
    boolean holds(Compare compare, ReadQuota quota) {
        try (KeyIterator keys = keys(compare.span(), revision, true)) {
            if (!keys.next()) {
                return compare.holds(null);
            }
            do {
                quota.passKey();
                if (!compare.holds(KeyValue.decode(keys.kv()))) {
                    return false;
                }
            } while (keys.next());
            return true;
        }
    }

    /**
     * The keys of a span that exist at a revision.
     *
     * @param values true if values will be read
     */
    KeyIterator keys(KeySpan span, long at, boolean values) {
        if (span.isEmpty()) {
            return KeyIterator.of(span.key(), Bytes.EMPTY);
        }
        return span.single()
                ? KeyIterator.of(span.key(), find(span.key(), at))
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

    @Override
    public void close() {
        if (opened != null) {
            opened.snapshot().close();
        }
    }

    private Opened opened() {
        if (opened == null) {
            opened = engine.get();
        }
        return opened;
    }

    /** The encoded KeyValue of a key at a revision; empty if it does not exist. */
    private Bytes find(Bytes key, long at) {
        Bytes cached = cache.find(key, at);
        if (cached != null) {
            return cached;
        }
        Bytes head = snapshot().get(coder.headKey(key));
        VersionRecord newest = head == null ? null : VersionRecord.decode(head);
        if (newest != null && newest.revision() > at) {
            return findReplaced(key, at);
        }
        boolean exists = newest != null && !newest.isTombstone();
        cache.learn(key, exists ? newest.kv() : null, at);
        return exists ? newest.kv() : Bytes.EMPTY;
    }

    private Bytes findReplaced(Bytes key, long at) {
        try (Cursor cursor =
                snapshot().cursor(coder.history(KeySpan.of(key)), Cursor.Direction.FORWARD)) {
            boolean found = cursor.seek(coder.historyKey(key, at));
            return found ? VersionRecord.decode(cursor.value()).kv() : Bytes.EMPTY;
        }
    }
}
