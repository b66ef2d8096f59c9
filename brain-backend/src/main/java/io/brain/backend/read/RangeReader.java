package io.brain.backend.read;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.read.Snapshots.FloorPassedException;
import io.brain.backend.read.Snapshots.Opened;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.wire.ArrayPool;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reads keys at a revision, each answer from one engine snapshot. Thread-safe; every call blocks
 * for the engine and may throw {@link io.brain.storage.StorageException}.
 */
public final class RangeReader {
    /** Enough for eight lists of half a MiB on their way to the transport at once. */
    private static final int ARRAYS_MAX = 64;

    private final Snapshots snapshots;
    private final KeyCoder coder;
    private final Revisions revisions;
    private final HeadCache cache;
    private final ArrayPool arrays = new ArrayPool(ARRAYS_MAX);

    /**
     * A reader of what {@code coder} lays out in {@code storage}.
     *
     * @param cache of it; told of every commit before {@code revisions}
     */
    public RangeReader(KvStorage storage, KeyCoder coder, Revisions revisions, HeadCache cache) {
        this.snapshots = new Snapshots(storage, coder, revisions);
        this.coder = coder;
        this.revisions = revisions;
        this.cache = cache;
    }

    /** A range at this node's newest committed revision, whatever the answer's size. */
    public OpResult.Range read(RangeQuery query) {
        return read(query, revisions.committed(), ReadQuota.UNLIMITED);
    }

    /**
     * A range.
     *
     * @param point what "newest" means; a later one may be taken
     * @throws BackendException FUTURE_REVISION or COMPACTED
     */
    public OpResult.Range read(RangeQuery query, ReadPoint point, ReadQuota meter) {
        return atPoint(
                point,
                view -> {
                    if (query.revision() > 0) {
                        view.check(query.revision());
                    }
                    OpResult.Range answer = view.range(query, meter);
                    if (query.revision() > 0) {
                        checkFloor(query.revision());
                    }
                    return answer;
                });
    }

    /**
     * A range at the newest state, if the cache has it and it is short; null if not. Never waits.
     *
     * @param point what "newest" means
     */
    OpResult.Range readCached(RangeQuery query, ReadPoint point) {
        try (ReadView view = view(RangeReader::notCached, point.revision())) {
            return view.range(query, new ShortMeter());
        } catch (NotCachedException miss) {
            return null;
        }
    }

    /** Reads a record from the engine, whatever the cache has, and nothing of it. */
    Void probe(ReadPoint point) {
        return atPoint(
                point,
                view -> {
                    var unused = view.snapshot().get(coder.compactKey());
                    return null;
                });
    }

    /** A transaction that only reads, at this node's newest committed revision. */
    public OpResult.Txn readTxn(Txn txn) {
        return readTxn(txn, revisions.committed(), ReadQuota.UNLIMITED);
    }

    /**
     * A transaction that only reads ({@link Txn#isReadOnly}): compares and ranges see one state.
     *
     * @param point what "newest" means; a later one may be taken
     * @throws BackendException FUTURE_REVISION or COMPACTED, if a range of the branch that ran asks
     *     for such a revision; unlike in a plain range a negative one is taken as it is
     */
    public OpResult.Txn readTxn(Txn txn, ReadPoint point, ReadQuota meter) {
        assert txn.isReadOnly() : "a transaction that writes";
        return atPoint(point, view -> readTxn(txn, view, meter));
    }

    private OpResult.Txn readTxn(Txn txn, ReadView view, ReadQuota meter) {
        boolean succeeded = true;
        for (Compare compare : txn.compares()) {
            if (!view.holds(compare, meter)) {
                succeeded = false;
                break;
            }
        }
        List<RangeQuery> queries = new ArrayList<>();
        for (Op op : succeeded ? txn.success() : txn.failure()) {
            queries.add(((Op.Range) op).query());
        }
        for (RangeQuery query : queries) {
            if (query.revision() != 0) {
                view.check(query.revision());
            }
        }
        List<OpResult> results = new ArrayList<>(queries.size());
        for (RangeQuery query : queries) {
            results.add(view.range(query, meter));
        }
        for (RangeQuery query : queries) {
            if (query.revision() > 0) {
                checkFloor(query.revision());
            }
        }
        return new OpResult.Txn(view.revision(), succeeded, results);
    }

    /**
     * A range within a transaction that writes, read after its commit: the state at a revision with
     * the transaction's own earlier changes laid over it. The query's revision is not looked at,
     * and neither is the compaction floor: whoever decided the transaction did both. An engine with
     * timestamps still has the revision whole at {@code published}, whatever is compacted since; in
     * any other a pin keeps it from being deleted.
     *
     * @param published the read point when the transaction was published
     * @param revision the revision to read; not above the point's
     * @param overlay user key to encoded KeyValue; {@link Bytes#EMPTY}: the key is deleted
     * @param headerRevision what the answer shows as its revision
     */
    public OpResult.Range readPinned(
            RangeQuery query,
            ReadPoint published,
            long revision,
            NavigableMap<Bytes, Bytes> overlay,
            long headerRevision,
            ReadQuota meter) {
        assert revision <= published.revision() : "revision " + revision + " is not committed";
        if (query.span().isEmpty()) {
            return new OpResult.Range(headerRevision, List.of(), false, 0);
        }
        try (ReadView view = view(() -> new Opened(snapshots.open(published), -1), revision);
                KeyIterator stored = view.keys(query.span(), revision);
                KeyIterator keys = new OverlayIterator(stored, overlay, query.span())) {
            return RangeAnswer.of(keys, query, headerRevision, meter, arrays);
        }
    }

    /** Reads at a point or a later one: the newest, or one that a compaction has not passed. */
    private <T> T atPoint(ReadPoint point, Function<ReadView, T> read) {
        ReadPoint at = point;
        while (true) {
            ReadPoint tried = at;
            try (ReadView view = view(() -> snapshots.openAboveFloor(tried), at.revision())) {
                return read.apply(view);
            } catch (FloorPassedException passed) {
                at = passed.instead();
            }
        }
    }

    private ReadView view(Supplier<Opened> engine, long revision) {
        return new ReadView(engine, coder, revision, cache, arrays);
    }

    private static Opened notCached() {
        throw new NotCachedException();
    }

    /** An answer must not miss what a compaction deleted while it was put together. */
    private void checkFloor(long revision) {
        if (revision < revisions.floor()) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }

    /** A signal, so it carries no stack trace. */
    private static final class NotCachedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotCachedException() {
            super("not in the cache", null, false, false);
        }
    }

    /** Ends a read that takes a while, so that it goes to a thread of its own. */
    private static final class ShortMeter implements ReadQuota {
        private static final int KEYS_MAX = 512;
        private static final long BYTES_MAX = 64 << 10;
        private int keys;
        private long bytes;

        @Override
        public void hold(long more) {
            bytes += more;
            if (bytes > BYTES_MAX) {
                throw new NotCachedException();
            }
        }

        @Override
        public void passKey() {
            if (++keys > KEYS_MAX) {
                throw new NotCachedException();
            }
        }
    }
}
