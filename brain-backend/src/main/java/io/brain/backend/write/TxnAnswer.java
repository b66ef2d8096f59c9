package io.brain.backend.write;

import io.brain.backend.model.OpResult;
import io.brain.backend.revision.Pins;
import java.util.List;

/**
 * What a transaction answers, but for the reads that were put off until it is published. Those are
 * pinned: {@link #release} must be called in the end.
 */
public final class TxnAnswer {
    private final OpResult.Txn result;
    private final List<TxnRun.PutOff> putOff;
    private final Pins.Unpin pin;

    TxnAnswer(OpResult.Txn result, List<TxnRun.PutOff> putOff, Pins.Unpin pin) {
        this.result = result;
        this.putOff = putOff;
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

    /** The answer, its reads made through {@code reader}. Blocks; may be done again. */
    public OpResult.Txn read(PinnedReader reader) {
        for (TxnRun.PutOff read : putOff) {
            OpResult range =
                    reader.readPinned(
                            read.query(), read.revision(), read.overlay(), read.headerRevision());
            read.results().set(read.place(), range);
        }
        return result;
    }

    /** Lets go of what the reads needed. The second call does nothing. */
    public void release() {
        pin.unpin();
    }
}
