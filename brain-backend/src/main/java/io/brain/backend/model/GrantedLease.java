package io.brain.backend.model;

/**
 * A lease that was granted or renewed.
 *
 * @param ttl granted seconds; 0 if the lease does not exist
 * @param revision revision of the response header
 */
public record GrantedLease(long id, long ttl, long revision) {}
