package io.brain.backend.read;

import io.brain.backend.store.ReadPoint;
import java.util.concurrent.CompletionStage;

/** Read points for reads. Thread-safe; never blocks. */
public interface ReadPoints {
    /** This node's newest state, for serializable reads. */
    ReadPoint own();

    /** Like {@link #linearizable}, without waiting; null if that is not possible. */
    default ReadPoint linearizableNow() {
        return null;
    }

    /**
     * A state with all writes that any node has answered before the call. Fails with a {@link
     * io.brain.backend.model.BackendException} if it cannot be found in time.
     */
    CompletionStage<ReadPoint> linearizable();

    /**
     * This node's newest state, once it has a committed revision. Fails with a {@link
     * io.brain.backend.model.BackendException} if it does not get it in time.
     */
    CompletionStage<ReadPoint> reached(long revision);
}
