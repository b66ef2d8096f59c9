package io.brain.backend.read;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.read.ReadView.Opened;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Reads keys at a revision, each answer from one engine snapshot. Thread-safe; calls block for the
 * engine and may throw {@link io.brain.storage.StorageException}.
 */
public final class RangeReader {
    private final Store store;
    private final HeadCache cache;

    /**
     * A reader of a store.
     *
     * @param cache heads of that store; receives each commit before it is published
     */
    public RangeReader(Store store, HeadCache cache) {
        this.store = store;
        this.cache = cache;
    }

    /** Reads a range at the newest committed revision of this node. */
    public OpResult.Range read(RangeQuery query) {
        return read(query, store.revisions().committed(), ReadQuota.UNLIMITED);
    }

    /**
     * Reads a range.
     *
     * @param point the newest revision; replaced by a later one if it was compacted
     * @throws BackendException FUTURE_REVISION or COMPACTED
     * @throws CompactedPointException if it was compacted, and this node knows no later one yet
     */
    public OpResult.Range read(RangeQuery query, ReadPoint point, ReadQuota quota) {
        try {
            return atPoint(point, view -> read(query, view, quota));
        } catch (CompactedPointException compacted) {
            if (query.revision() > 0 && query.revision() < compacted.floor()) {
                throw new BackendException(ErrorKind.COMPACTED);
            }
            throw compacted;
        }
    }

    private OpResult.Range read(RangeQuery query, ReadView view, ReadQuota quota) {
        if (query.revision() > 0) {
            view.check(query.revision());
        }
        OpResult.Range answer = view.range(query, quota);
        if (query.revision() > 0) {
            checkFloor(query.revision());
        }
        return answer;
    }

    /**
     * Reads a range at the newest revision from the cache; never blocks.
     *
     * @param point the newest revision
     * @throws ReadQuota.ExceededException also if the cache does not have the answer
     */
    OpResult.Range readCached(RangeQuery query, ReadPoint point, ReadQuota quota) {
        Supplier<Opened> noEngine =
                () -> {
                    throw new ReadQuota.ExceededException();
                };
        try (ReadView view = view(noEngine, point.revision())) {
            return view.range(query, quota);
        }
    }

    /** Reads a record from the engine, and discards it. */
    Void probe(ReadPoint point) {
        return atPoint(
                point,
                view -> {
                    var unused = view.snapshot().get(store.coder().compactKey());
                    return null;
                });
    }

    /** Runs a read-only transaction at the newest committed revision of this node. */
    public OpResult.Txn readTxn(Txn txn) {
        return readTxn(txn, store.revisions().committed(), ReadQuota.UNLIMITED);
    }

    /**
     * Runs a read-only transaction ({@link Txn#isReadOnly}): compares and ranges read one state.
     *
     * @param point the newest revision; replaced by a later one if it was compacted
     * @throws BackendException FUTURE_REVISION or COMPACTED for a revision of a range in the
     *     executed branch; unlike in a plain range a negative one is not replaced by the newest
     * @throws CompactedPointException as in {@link #read(RangeQuery, ReadPoint, ReadQuota)}
     */
    public OpResult.Txn readTxn(Txn txn, ReadPoint point, ReadQuota quota) {
        assert txn.isReadOnly() : "a transaction that writes";
        return atPoint(point, view -> readTxn(txn, view, quota));
    }

    private OpResult.Txn readTxn(Txn txn, ReadView view, ReadQuota quota) {
        boolean succeeded = true;
        for (Compare compare : txn.compares()) {
            if (!view.holds(compare, quota)) {
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
            results.add(view.range(query, quota));
        }
        for (RangeQuery query : queries) {
            if (query.revision() > 0) {
                checkFloor(query.revision());
            }
        }
        return new OpResult.Txn(view.revision(), succeeded, results);
    }

    /**
     * Reads a range of a committed transaction that writes: the state at a revision, with earlier
     * changes of the transaction. Ignores the query's revision and the compaction floor, which were
     * checked when the transaction was evaluated. The revision is still complete: an engine with
     * timestamps keeps it at {@code published}, in other engines a pin does, until another node
     * leads.
     *
     * @param published the read point when the transaction was published
     * @param epoch the epoch that committed the transaction
     * @param revision the revision to read; not above the point's
     * @param overlay user key to encoded KeyValue; {@link Bytes#EMPTY}: the key is deleted
     * @param headerRevision revision of the answer's header
     * @throws BackendException LEADER_FAILED if the next leader compacted the revision
     */
    public OpResult.Range readPinned(
            RangeQuery query,
            ReadPoint published,
            long epoch,
            long revision,
            NavigableMap<Bytes, Bytes> overlay,
            long headerRevision,
            ReadQuota quota) {
        assert revision <= published.revision() : "revision " + revision + " is not committed";
        if (query.span().isEmpty()) {
            return new OpResult.Range(headerRevision, List.of(), false, 0);
        }
        try (ReadView view = view(() -> openPinned(published, epoch, revision), revision);
                KeyIterator stored = view.keys(query.span(), revision, true);
                KeyIterator keys = new OverlayIterator(stored, overlay, query.span())) {
            return RangeAnswer.of(keys, query, headerRevision, quota);
        }
    }

    /** Reads at a point, or at a later one if that was compacted. */
    private <T> T atPoint(ReadPoint point, Function<ReadView, T> read) {
        ReadPoint at = point;
        while (true) {
            ReadPoint tried = at;
            try (ReadView view = view(() -> openAboveFloor(tried), at.revision())) {
                return read.apply(view);
            } catch (CompactedPointException compacted) {
                at = later(tried, compacted);
            }
        }
    }

    private ReadView view(Supplier<Opened> engine, long revision) {
        return new ReadView(engine, store.coder(), cache, revision);
    }

    private Opened openAboveFloor(ReadPoint point) {
        return open(
                point,
                snapshot -> {
                    long floor = store.floor(snapshot, point.revision());
                    if (floor > point.revision()) {
                        throw new CompactedPointException(floor);
                    }
                    return floor;
                });
    }

    private Opened openPinned(ReadPoint published, long epoch, long revision) {
        return open(
                published,
                snapshot -> {
                    boolean kept = store.readsAtTimestamps() || store.isExclusive();
                    if (!kept && store.floor(snapshot) > revision && epochOf(snapshot) != epoch) {
                        throw new BackendException(ErrorKind.LEADER_FAILED);
                    }
                    return -1;
                });
    }

    /** The epoch of the leader that may have compacted what the snapshot shows. */
    private long epochOf(Snapshot snapshot) {
        return Fence.decode(snapshot.get(store.coder().fenceKey())).epoch();
    }

    /**
     * Opens a snapshot.
     *
     * @param floor checks the snapshot, and returns its floor
     */
    private Opened open(ReadPoint point, ToLongFunction<Snapshot> floor) {
        Snapshot snapshot = store.open(point);
        try {
            return new Opened(snapshot, floor.applyAsLong(snapshot));
        } catch (RuntimeException e) {
            snapshot.close();
            throw e;
        }
    }

    /**
     * The read point to use instead of a compacted one. A snapshot at a timestamp has the floor
     * completely and nothing below it. A snapshot of the newest state may have a floor that this
     * node does not know yet.
     */
    private ReadPoint later(ReadPoint point, CompactedPointException compacted) {
        if (store.readsAtTimestamps()) {
            return new ReadPoint(compacted.floor(), point.timestamp());
        }
        ReadPoint newest = store.revisions().committed();
        if (newest.revision() < compacted.floor()) {
            throw compacted;
        }
        return newest;
    }

    /** Fails if a compaction may have deleted versions during the read. */
    private void checkFloor(long revision) {
        if (revision < store.revisions().floor()) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }

    /** The read point was compacted before its snapshot was opened. */
    static final class CompactedPointException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final long floor;

        /** A signal without a stack trace. */
        CompactedPointException(long floor) {
            super("read point compacted", null, false, false);
            this.floor = floor;
        }

        /** The oldest revision that can be read; the read must wait until this node knows it. */
        long floor() {
            return floor;
        }
    }
}
