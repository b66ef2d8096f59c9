package io.brain.backend.check;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Snapshot;

/**
 * What the checks of heads, history and commit log share.
 *
 * @param extent which revisions the store has
 * @param counts versions of each revision, as stored and as logged
 */
record CheckedStore(
        Snapshot snapshot,
        KeyCoder coder,
        Extent extent,
        RevisionCounts counts,
        Findings findings) {}
