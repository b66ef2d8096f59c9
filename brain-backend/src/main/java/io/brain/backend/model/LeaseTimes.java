package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.List;

/**
 * Times and keys of a lease.
 *
 * @param remaining whole seconds left; not positive between expiry and revocation; -1 if the lease
 *     does not exist
 * @param granted granted seconds; 0 if the lease does not exist
 * @param keys attached keys in key order; empty if not requested
 * @param revision revision of the response header
 */
public record LeaseTimes(long id, long remaining, long granted, List<Bytes> keys, long revision) {}
