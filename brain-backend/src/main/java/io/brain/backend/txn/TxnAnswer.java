package io.brain.backend.txn;

import io.brain.backend.model.OpResult;
import io.brain.backend.store.Pins;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a transaction answers, but for the reads that were put off until it is published. Those are
 * pinned: {@link #release} must be called in the end.
 */
public final class TxnAnswer {
    private final OpResult.Txn result;
    private final List<TxnRun.PutOff> putOff;
    private final List<TxnRun.Changed> changed;
    private final Pins.Unpin pin;

    TxnAnswer(
            OpResult.Txn result,
            List<TxnRun.PutOff> putOff,
            List<TxnRun.Changed> changed,
            Pins.Unpin pin) {
        this.result = result;
        this.putOff = putOff;
        this.changed = changed;
        this.pin = pin;
    }

    /** True if nothing was put off: {@link #result} is all of it. */
    public boolean isComplete() {
        return putOff.isEmpty();
    }

    /** The answer of a complete one. */
    public OpResult.Txn result() {
        return result;
    }

    /**
     * The answer, its reads made through {@code reader}. Blocks; may be done again after it failed,
     * and holds nothing meanwhile.
     */
    public OpResult.Txn read(PinnedReader reader) {
        try {
            for (TxnRun.PutOff read : putOff) {
                OpResult.Range range =
                        reader.readPinned(
                                read.query(),
                                read.revision(),
                                overlay(read),
                                read.headerRevision());
                read.results().set(read.place(), read.form().apply(range));
            }
            return result;
        } catch (RuntimeException | Error stopped) {
            putOff.forEach(read -> read.results().set(read.place(), null));
            throw stopped;
        }
    }

    /** What the transaction had changed of a read's span by then. */
    private NavigableMap<Bytes, Bytes> overlay(TxnRun.PutOff read) {
        NavigableMap<Bytes, Bytes> overlay = new TreeMap<>();
        for (TxnRun.Changed change : changed.subList(0, read.changes())) {
            if (read.query().span().contains(change.key())) {
                overlay.put(change.key(), change.kv());
            }
        }
        return overlay;
    }

    /** Lets go of what the reads needed. The second call does nothing. */
    public void release() {
        pin.unpin();
    }
}
