package io.brain.backend.read;

import io.brain.backend.count.KeyCounts;
import io.brain.backend.key.CompactRecord;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.revision.ReadPoint;
import io.brain.backend.revision.Revisions;
import io.brain.backend.wire.ArrayPool;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.NotInMemory;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/**
 * Reads keys at a revision, each answer from one engine snapshot. Thread-safe; every call blocks
 * for the engine and may throw {@link io.brain.storage.StorageException}.
 */
public final class RangeReader {
    /** Enough for eight lists of half a MiB on their way to the transport at once. */
    private static final int ARRAYS_MAX = 64;

    private final KvStorage storage;
    private final KeyCoder coder;
    private final Revisions revisions;
    private final KeyCounts counts;
    private final NewestKeys newestKeys;
    private final boolean opensReadPoints;
    private final boolean knowsFloor;
    private final ArrayPool arrays = new ArrayPool(ARRAYS_MAX);

    /**
     * A reader of what {@code coder} lays out in {@code storage}.
     *
     * @param known of it; told of every commit before {@code revisions}
     */
    public RangeReader(KvStorage storage, KeyCoder coder, Revisions revisions, KnownState known) {
        this.storage = storage;
        this.coder = coder;
        this.revisions = revisions;
        this.counts = known.counts();
        this.newestKeys = known.keys();
        this.opensReadPoints = storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
        this.knowsFloor = storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN);
    }

    /** A range at this node's newest committed revision, whatever the answer's size. */
    public OpResult.Range read(RangeQuery query) {
        return read(query, revisions.committed(), Meter.UNLIMITED);
    }

    /**
     * A range.
     *
     * @param point what "newest" means; a later one may be taken
     * @throws BackendException FUTURE_REVISION or COMPACTED
     */
    public OpResult.Range read(RangeQuery query, ReadPoint point, Meter meter) {
        long stamp = stamp(query, point);
        try (ReadView view = open(point)) {
            if (query.revision() > 0) {
                view.check(query.revision());
            }
            OpResult.Range answer = view.range(query, meter);
            if (query.revision() > 0) {
                checkFloor(query.revision());
            }
            learn(query, answer, stamp);
            return answer;
        }
    }

    /**
     * One key's newest state, if it was read lately; null if it was not.
     *
     * @param point what "newest" means
     */
    OpResult.Range readKnown(RangeQuery query, ReadPoint point) {
        if (!NewestKeys.covers(query)) {
            return null;
        }
        NewestKeys.State state = newestKeys.find(query.span().key(), point.revision());
        if (state == null) {
            return null;
        }
        List<Bytes> kvs = state.kv() == null ? List.of() : List.of(state.kv());
        return new OpResult.Range(point.revision(), kvs, false, kvs.size());
    }

    /**
     * One key's newest state, on a thread that must not wait.
     *
     * @param point what "newest" means
     * @throws NotInMemory if there is something to wait for
     */
    public OpResult.Range readInMemory(RangeQuery query, ReadPoint point) {
        long stamp = stamp(query, point);
        Snapshot snapshot = storage.snapshotInMemory();
        try (ReadView view = new ReadView(snapshot, coder, point.revision(), -1, counts, arrays)) {
            OpResult.Range answer = view.range(query, Meter.UNLIMITED);
            // Only this process writes to an engine that it has in memory.
            if (revisions.floor() > point.revision()) {
                throw new NotInMemory();
            }
            learn(query, answer, stamp);
            return answer;
        }
    }

    /** A transaction that only reads, at this node's newest committed revision. */
    public OpResult.Txn readTxn(Txn txn) {
        return readTxn(txn, revisions.committed(), Meter.UNLIMITED);
    }

    /**
     * A transaction that only reads ({@link Txn#isReadOnly}): compares and ranges see one state.
     *
     * @param point what "newest" means; a later one may be taken
     * @throws BackendException FUTURE_REVISION or COMPACTED, if a range of the branch that ran asks
     *     for such a revision; unlike in a plain range a negative one is taken as it is
     */
    public OpResult.Txn readTxn(Txn txn, ReadPoint point, Meter meter) {
        assert txn.isReadOnly() : "a transaction that writes";
        try (ReadView view = open(point)) {
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
            Meter meter) {
        assert revision <= published.revision() : "revision " + revision + " is not committed";
        if (query.span().isEmpty()) {
            return new OpResult.Range(headerRevision, List.of(), false, 0);
        }
        try (ReadView view =
                        new ReadView(snapshot(published), coder, revision, -1, counts, arrays);
                LiveKeys stored = view.keys(query.span(), revision);
                LiveKeys keys = new OverlaidKeys(stored, overlay, query.span())) {
            return RangeAnswer.of(keys, query, headerRevision, meter, arrays);
        }
    }

    private long stamp(RangeQuery query, ReadPoint point) {
        return NewestKeys.covers(query)
                ? newestKeys.stamp(query.span().key(), point.revision())
                : NewestKeys.NONE;
    }

    private void learn(RangeQuery query, OpResult.Range answer, long stamp) {
        if (stamp != NewestKeys.NONE) {
            Bytes kv = answer.kvs().isEmpty() ? null : answer.kvs().get(0);
            newestKeys.learn(query.span().key(), kv, answer.revision(), stamp);
        }
    }

    /** A view of {@code point}, or of a later state if a compaction has passed the point. */
    private ReadView open(ReadPoint point) {
        ReadPoint at = point;
        while (true) {
            Snapshot snapshot = snapshot(at);
            try {
                long floor = floor(snapshot);
                ReadPoint newest = revisions.committed();
                if (opensReadPoints || floor <= at.revision() || newest.revision() < floor) {
                    return view(snapshot, at.revision(), floor);
                }
                snapshot.close();
                at = newest;
            } catch (RuntimeException e) {
                snapshot.close();
                throw e;
            }
        }
    }

    /**
     * A view at a revision, or at the floor if that is above it: a snapshot at a timestamp has the
     * floor whole and nothing below it. A snapshot of the newest state may have a floor that is not
     * published: nothing is deleted for it yet.
     */
    private ReadView view(Snapshot snapshot, long revision, long floor) {
        long at = opensReadPoints ? Math.max(revision, floor) : revision;
        return new ReadView(snapshot, coder, at, floor, counts, arrays);
    }

    /**
     * The oldest revision that the snapshot has whole, or one above it. A process that is the only
     * one to write has raised the floor in its memory before it deleted anything.
     */
    private long floor(Snapshot snapshot) {
        return knowsFloor
                ? revisions.floor()
                : CompactRecord.decode(snapshot.get(coder.compactKey())).floor();
    }

    private Snapshot snapshot(ReadPoint point) {
        return opensReadPoints ? storage.snapshotAt(point.timestamp()) : storage.snapshot();
    }

    /** An answer must not miss what a compaction deleted while it was put together. */
    private void checkFloor(long revision) {
        if (revision < revisions.floor()) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }
}
