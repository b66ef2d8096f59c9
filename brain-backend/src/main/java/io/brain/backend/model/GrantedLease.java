package io.brain.backend.model;

/**
 * A lease that was granted or renewed.
 *
 * @param ttl granted seconds; 0 if there is no such lease (any more)
 * @param revision the answer's header revision
 */
public record GrantedLease(long id, long ttl, long revision) {}
