package io.brain.server.auth;

import io.brain.backend.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A clock that a test moves. It starts in 2026. */
final class SteppedClock implements Clock {
    private static final long STARTED_MILLIS = 1_790_000_000_000L;

    private long nanos;

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long unixMillis() {
        return STARTED_MILLIS + TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    void pass(Duration time) {
        nanos += time.toNanos();
    }
}
