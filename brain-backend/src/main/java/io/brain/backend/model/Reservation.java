package io.brain.backend.model;

/**
 * Response bytes that an answer holds until the transport is done with it. Thread-safe; the second
 * close does nothing.
 */
@FunctionalInterface
public interface Reservation extends AutoCloseable {
    /** Holds nothing. */
    Reservation NONE = () -> {};

    /** True if somebody else waits for bytes to be given back. */
    default boolean isWanted() {
        return false;
    }

    /** Gives the bytes back. */
    @Override
    void close();
}
