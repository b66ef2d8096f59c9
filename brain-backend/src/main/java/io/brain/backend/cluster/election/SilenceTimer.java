package io.brain.backend.cluster.election;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;

/** Calls when the followed leader becomes silent. Belongs to the elector's thread. */
final class SilenceTimer {
    private final Follower follower;
    private final BackendRuntime runtime;
    private final Runnable onSilent;
    private Scheduler.Timer timer = () -> {};

    /** Creates a timer that is not started. */
    SilenceTimer(Follower follower, BackendRuntime runtime, Runnable onSilent) {
        this.follower = follower;
        this.runtime = runtime;
        this.onSilent = onSilent;
    }

    /** Calls once, when the leader becomes silent. */
    void await() {
        timer.cancel();
        Duration rest = follower.untilSilent();
        if (!rest.isZero()) {
            timer = runtime.scheduler().schedule(rest, runtime.elector(), this::check);
        }
    }

    void cancel() {
        timer.cancel();
    }

    private void check() {
        if (follower.untilSilent().isZero()) {
            onSilent.run();
        } else {
            await();
        }
    }
}
