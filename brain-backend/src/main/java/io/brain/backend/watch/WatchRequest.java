package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;

/**
 * A watcher to create.
 *
 * @param watchId requested id; 0: the stream chooses one
 * @param span the keys; the caller applies etcd's rules for an empty key
 * @param startRevision first revision; 0: the next one
 * @param prevKv send replaced KeyValues
 * @param progressNotify send progress notifications at an interval
 * @param fragment split large responses
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
    /** Number of watchers it counts as: one, and one per KiB of its keys. */
    int weight() {
        return 1 + span.bytes() / 1024;
    }

    /** True if the filters do not omit a delete, or a put. */
    boolean wants(boolean delete) {
        return delete ? !noDelete : !noPut;
    }
}
