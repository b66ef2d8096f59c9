package io.brain.backend.store;

/**
 * A state that can be read: everything up to {@code revision} is durable and published.
 *
 * @param revision a committed revision
 * @param timestamp the engine's timestamp of the batch that published it
 */
public record ReadPoint(long revision, long timestamp) {}
