package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;

/**
 * How the newest batches of this process ended, for those that can be resolved; each is known by
 * what it stores at its primary, which is never stored there twice. Thread-safe.
 */
final class CommitOutcomes {
    private static final int BATCHES_MAX = 256;

    /**
     * What is known.
     *
     * @param startTs of the try that may have landed
     * @param commitTs 0 while it is not known whether it did
     */
    record Outcome(long startTs, long commitTs) {}

    private record Batch(Bytes key, Bytes value) {}

    private final BoundedMap<Batch, Outcome> outcomes = new BoundedMap<>(BATCHES_MAX);

    /** The batch's end; null if it did not land, or nothing is known. */
    Outcome get(WriteBatch batch) {
        return outcomes.get(idOf(batch));
    }

    void put(WriteBatch batch, Outcome outcome) {
        if (batch.primary().isGuarded() && batch.primary().newValue() != null) {
            outcomes.put(idOf(batch), outcome);
        }
    }

    void remove(WriteBatch batch) {
        outcomes.remove(idOf(batch));
    }

    private static Batch idOf(WriteBatch batch) {
        return new Batch(batch.primary().key(), batch.resolvingValue());
    }
}
