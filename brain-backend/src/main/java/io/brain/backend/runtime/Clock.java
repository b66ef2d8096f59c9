package io.brain.backend.runtime;

/** Monotonic time. */
@FunctionalInterface
public interface Clock {
    /** Nanoseconds since some fixed moment; never goes back. Thread-safe. */
    long nanos();
}
