package io.brain.bench.shape;

import io.brain.bench.wire.KeySpace;

/**
 * Objects on a server.
 *
 * @param keys their keys have the numbers {@code first} to {@code first + revisions.length - 1}
 * @param revisions mod_revision of each; confined to the client's event loop
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Objects(KeySpace keys, long first, long[] revisions) {

    int count() {
        return revisions.length;
    }
}
