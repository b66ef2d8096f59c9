package io.brain.backend.cluster;

import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Calls that wait for a leader, in order of arrival. Thread-safe. */
final class WaitingCalls {
    /** Further calls are refused. */
    private static final int CALLS_MAX = 10_000;

    private static final Duration INTERVAL = Duration.ofMillis(25);

    private final BackendRuntime runtime;
    private final BooleanSupplier leaderKnown;
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    WaitingCalls(BackendRuntime runtime, BooleanSupplier leaderKnown) {
        this.runtime = runtime;
        this.leaderKnown = leaderKnown;
    }

    /** A call that waits. */
    interface Call {
        /** True if it is complete, or has waited too long. */
        boolean isOver();

        /** Sends the command, or waits again. */
        void attempt();
    }

    /** Lets a call wait; false if too many do. */
    boolean add(Call call) {
        if (count.incrementAndGet() > CALLS_MAX) {
            count.decrementAndGet();
            return false;
        }
        calls.add(call);
        attemptLater();
        return true;
    }

    private void attemptLater() {
        if (count.get() > 0 && scheduled.compareAndSet(false, true)) {
            runtime.scheduler().schedule(INTERVAL, runtime.prompt(), this::attempt);
        }
    }

    private void attempt() {
        scheduled.set(false);
        try {
            attemptEach();
        } finally {
            attemptLater();
        }
    }

    private void attemptEach() {
        boolean known = leaderKnown.getAsBoolean();
        for (int left = count.get(); left > 0; left--) {
            Call call = calls.poll();
            if (call == null) {
                return;
            }
            if (call.isOver() || known) {
                count.decrementAndGet();
                call.attempt();
            } else {
                calls.add(call);
            }
        }
    }
}
