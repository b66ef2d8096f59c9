package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
import java.util.List;

/**
 * Where a watch stream's responses go: one per transport stream. Called by the hub's thread only,
 * in the order in which responses must leave; must not block. {@code revision} is always the
 * header's.
 */
public interface WatchSink {
    /** The id of responses that belong to no watcher. */
    long NO_WATCHER = -1;

    /**
     * True if the transport takes more without queueing; else the hub waits for {@link
     * WatchStream#ready}.
     */
    boolean isReady();

    /** Bytes that the client's connection took so far, whatever they were of. */
    long takenBytes();

    /** A watcher exists. */
    void created(long watchId, long revision);

    /** A watcher was refused: id -1, created and canceled. */
    void refused(long revision, Refusal refusal);

    /**
     * Events of one watcher: whole revisions, in order. The transport is ready, unless they were
     * read from the log while other responses filled it.
     *
     * @param prevKv encode with replaced KeyValues
     * @param fragment may be cut into several responses
     */
    void events(
            long watchId, long revision, List<WatchEvent> events, boolean prevKv, boolean fragment);

    /** Nothing new for this watcher (or, id -1, for all) up to {@code revision}. */
    void progress(long watchId, long revision);

    /** A watcher ended because the client said so. */
    void canceled(long watchId, long revision);

    /** A watcher ended because what it needs is compacted; header revision 0, as in etcd. */
    void compacted(long watchId, long compactRevision);

    /** The whole stream ends with an error: the server stops, or there is no leader. */
    void failed(BackendException cause);

    /**
     * A call of the stream's create, cancel or requestProgress has taken effect; once for each. A
     * transport that asks its client for the next request only now bounds what waits in the hub.
     */
    default void taken() {}

    /**
     * The client has not taken its responses for too long while others wait for their bytes: the
     * connection is to be ended, and with it what is queued. The stream has ended.
     */
    void stalled();

    /** Why a watcher was refused. */
    enum Refusal {
        DUPLICATE_ID,
        EMPTY_RANGE,
        NEGATIVE_REVISION
    }
}
