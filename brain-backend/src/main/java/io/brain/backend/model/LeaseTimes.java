package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.List;

/**
 * What is left of a lease.
 *
 * @param remaining whole seconds left; not positive while it waits to be revoked; -1 if there is no
 *     such lease
 * @param granted granted seconds; 0 if there is no such lease
 * @param keys attached keys in key order; empty if they were not asked for
 * @param revision the answer's header revision
 */
public record LeaseTimes(long id, long remaining, long granted, List<Bytes> keys, long revision) {}
