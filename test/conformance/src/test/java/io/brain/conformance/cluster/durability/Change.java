package io.brain.conformance.cluster.durability;

import java.util.Optional;

/**
 * One event of a revision.
 *
 * @param token the value put; empty for a delete
 * @param lease the lease of a put, 0 for none and for a delete
 */
record Change(String key, Optional<String> token, long lease) {

    static Change put(String key, String token, long lease) {
        return new Change(key, Optional.of(token), lease);
    }

    static Change delete(String key) {
        return new Change(key, Optional.empty(), 0);
    }
}
