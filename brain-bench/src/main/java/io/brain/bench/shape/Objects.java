package io.brain.bench.shape;

import io.brain.bench.wire.KeySpace;

/**
 * Objects that are on a server.
 *
 * @param keys numbers {@code first} to {@code first + revisions.length} of it
 * @param revisions mod_revision of each; belongs to the client's event loop
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Objects(KeySpace keys, long first, long[] revisions) {

    int count() {
        return revisions.length;
    }
}
