package io.brain.backend.read;

import io.brain.backend.store.ReadPoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Says which state a read may see. Thread-safe; never blocks. */
public interface ReadPoints {
    /** This node's own newest state: what a serializable read sees. */
    ReadPoint own();

    /**
     * A state that holds everything that was answered, by any node, before the call; null if that
     * cannot be known at once.
     */
    default ReadPoint linearizableNow() {
        return null;
    }

    /**
     * A state that holds everything that was answered, by any node, before the call. Ends with a
     * {@link io.brain.backend.model.BackendException} if that cannot be known in time.
     */
    CompletionStage<ReadPoint> linearizable();

    /** Read points of a node that surely leads: its own newest state is the newest there is. */
    static ReadPoints leading(Supplier<ReadPoint> committed) {
        return new ReadPoints() {
            @Override
            public ReadPoint own() {
                return committed.get();
            }

            @Override
            public ReadPoint linearizableNow() {
                return committed.get();
            }

            @Override
            public CompletionStage<ReadPoint> linearizable() {
                return CompletableFuture.completedFuture(committed.get());
            }
        };
    }
}
