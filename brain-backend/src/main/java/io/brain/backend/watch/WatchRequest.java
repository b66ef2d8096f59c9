package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;

/**
 * A watcher to create.
 *
 * @param watchId 0 lets the stream choose
 * @param span the keys (the caller applies etcd's conventions for an empty key)
 * @param startRevision first revision to send; 0: from now on
 * @param prevKv send replaced KeyValues
 * @param progressNotify send periodic progress
 * @param fragment large responses may be split
 * @param noPut omit puts
 * @param noDelete omit deletes
 */
public record WatchRequest(
        long watchId,
        KeySpan span,
        long startRevision,
        boolean prevKv,
        boolean progressNotify,
        boolean fragment,
        boolean noPut,
        boolean noDelete) {
    /** Number of watchers it counts as: its keys stay on the heap. */
    int weight() {
        return 1 + span.bytes() / 1024;
    }

    /** True if the filters pass a delete, or a put. */
    boolean wants(boolean delete) {
        return delete ? !noDelete : !noPut;
    }
}
