package io.brain.conformance.linear;

/**
 * A watcher held an event of this revision.
 *
 * @param nanos taken when it came
 */
public record RevisionObservation(long nanos, long revision) {}
