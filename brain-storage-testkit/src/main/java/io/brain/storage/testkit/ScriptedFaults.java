package io.brain.storage.testkit;

import io.brain.storage.WriteBatch;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** Faults in a given order, one per commit; none afterwards. */
public final class ScriptedFaults implements Function<WriteBatch, Fault> {
    private final Queue<Fault> script = new ConcurrentLinkedQueue<>();

    /** Adds the fault of the next commit without one. */
    public ScriptedFaults then(Fault fault) {
        script.add(fault);
        return this;
    }

    @Override
    public Fault apply(WriteBatch batch) {
        Fault next = script.poll();
        return next == null ? Fault.NONE : next;
    }
}
