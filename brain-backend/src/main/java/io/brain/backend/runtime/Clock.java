package io.brain.backend.runtime;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells the time. */
@FunctionalInterface
public interface Clock {
    /** Nanoseconds since a fixed moment; never decreases. Thread-safe. */
    long nanos();

    /** A clock with a time of day. */
    static Clock of(LongSupplier nanos, LongSupplier unixMillis) {
        return new Clock() {
            @Override
            public long nanos() {
                return nanos.getAsLong();
            }

            @Override
            public long unixMillis() {
                return unixMillis.getAsLong();
            }
        };
    }

    /**
     * The time of day, in milliseconds since 1970; may be set back. Thread-safe. Of a simulated
     * clock: as if it had started in 1970.
     */
    default long unixMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos());
    }
}
