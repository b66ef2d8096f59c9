package io.brain.storage.testkit;

import io.brain.storage.WriteBatch;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** Faults in the order a test names them, one per commit; none once they are used up. */
public final class ScriptedFaults implements Function<WriteBatch, Fault> {
    private final Queue<Fault> script = new ConcurrentLinkedQueue<>();

    /** The next commit without a fault yet meets this one. */
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
