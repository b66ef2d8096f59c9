package io.brain.backend.runtime;

/** Monotonic time. */
@FunctionalInterface
public interface Clock {
    /** Nanoseconds since a fixed moment; never decreases. Thread-safe. */
    long nanos();
}
