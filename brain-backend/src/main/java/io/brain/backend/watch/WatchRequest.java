package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;

/**
 * A watcher to create.
 *
 * @param watchId the id asked for; 0 lets the stream choose
 * @param span the keys (etcd's conventions for an empty key are applied by the caller)
 * @param startRevision first revision to deliver; 0: from now on
 * @param prevKv deliver replaced KeyValues
 * @param progressNotify deliver periodic progress
 * @param fragment allow responses to be cut at a size
 * @param noPut leave puts out
 * @param noDelete leave deletes out
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
    /** As how many watchers it counts: its keys stay on the heap. */
    int weight() {
        return 1 + span.bytes() / 1024;
    }

    /** True if the filters let a delete, or a put, through. */
    boolean wants(boolean delete) {
        return delete ? !noDelete : !noPut;
    }
}
