package io.brain.backend;

import io.brain.backend.read.ReadPoints;
import io.brain.backend.revision.ReadPoint;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** What may be read, as somebody tells who is not there yet: nobody asks before a node is made. */
record LateReadPoints(Supplier<ReadPoints> points) implements ReadPoints {
    @Override
    public ReadPoint own() {
        return points.get().own();
    }

    @Override
    public ReadPoint linearizableNow() {
        return points.get().linearizableNow();
    }

    @Override
    public CompletionStage<ReadPoint> linearizable() {
        return points.get().linearizable();
    }
}
