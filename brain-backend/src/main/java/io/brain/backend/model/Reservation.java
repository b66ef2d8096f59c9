package io.brain.backend.model;

/**
 * Response bytes that are reserved until the transport has sent an answer. Thread-safe; the second
 * close has no effect.
 */
@FunctionalInterface
public interface Reservation extends AutoCloseable {
    /** Reserves nothing. */
    Reservation NONE = () -> {};

    /** True if other reads wait for bytes. */
    default boolean isWanted() {
        return false;
    }

    @Override
    void close();
}
