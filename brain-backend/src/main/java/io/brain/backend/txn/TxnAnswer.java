package io.brain.backend.txn;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.store.Pins;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The answer to a transaction, and its deferred reads, which are made after publication. Their
 * revisions are pinned until {@link #release}, which must be called.
 */
public final class TxnAnswer {
    private final OpResult.Txn result;
    private final List<DeferredRead> deferred;
    private final List<Change> changes;
    private final Pins.Unpin pin;

    TxnAnswer(
            OpResult.Txn result,
            List<DeferredRead> deferred,
            List<Change> changes,
            Pins.Unpin pin) {
        this.result = result;
        this.deferred = deferred;
        this.changes = changes;
        this.pin = pin;
    }

    /** A change of the transaction; {@code kv} is empty for a delete. */
    record Change(Bytes key, Bytes kv) {}

    /**
     * A deferred read.
     *
     * @param results where its result goes
     * @param index index within {@code results}
     * @param visibleChanges number of the transaction's changes that it sees
     * @param toResult makes the result
     */
    record DeferredRead(
            List<OpResult> results,
            int index,
            RangeQuery query,
            long revision,
            int visibleChanges,
            long headerRevision,
            Function<OpResult.Range, OpResult> toResult) {}

    /** Makes deferred reads. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Reads the state at {@code revision} with {@code overlay} on top. Ignores the query's own
         * revision and the compact revision: {@code revision} is pinned. Blocks.
         *
         * @param overlay changed keys of the query's span: the encoded KeyValue, or {@link
         *     Bytes#EMPTY} for a deleted key
         * @param headerRevision revision of the result
         */
        OpResult.Range readPinned(
                RangeQuery query,
                long revision,
                NavigableMap<Bytes, Bytes> overlay,
                long headerRevision);
    }

    /** True if no read is deferred. */
    public boolean isComplete() {
        return deferred.isEmpty();
    }

    /** The result of a complete answer. */
    public OpResult.Txn result() {
        return result;
    }

    /** Makes the deferred reads; blocks. After a failure it may be called again. */
    public OpResult.Txn read(Reader reader) {
        try {
            for (DeferredRead read : deferred) {
                OpResult.Range range =
                        reader.readPinned(
                                read.query(),
                                read.revision(),
                                overlay(read),
                                read.headerRevision());
                read.results().set(read.index(), read.toResult().apply(range));
            }
            return result;
        } catch (RuntimeException | Error stopped) {
            deferred.forEach(read -> read.results().set(read.index(), null)); // hold no memory
            throw stopped;
        }
    }

    private NavigableMap<Bytes, Bytes> overlay(DeferredRead read) {
        NavigableMap<Bytes, Bytes> overlay = new TreeMap<>();
        for (Change change : changes.subList(0, read.visibleChanges())) {
            if (read.query().span().contains(change.key())) {
                overlay.put(change.key(), change.kv());
            }
        }
        return overlay;
    }

    /** Ends the pin. Idempotent. */
    public void release() {
        pin.unpin();
    }
}
