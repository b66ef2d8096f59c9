package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;

/**
 * Outcomes of the most recent resolvable batches of this process. A batch is identified by the
 * value of its primary, which is unique. Thread-safe.
 */
final class CommitOutcomes {
    private static final int BATCHES_MAX = 256;

    /**
     * Outcome of a commit.
     *
     * @param startTs start timestamp of the last attempt
     * @param commitTs 0 while unknown
     */
    record Outcome(long startTs, long commitTs) {}

    private record Batch(Bytes key, Bytes value) {}

    private final BoundedMap<Batch, Outcome> outcomes = new BoundedMap<>(BATCHES_MAX);

    /** The outcome; null if the batch was not committed or is unknown. */
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
