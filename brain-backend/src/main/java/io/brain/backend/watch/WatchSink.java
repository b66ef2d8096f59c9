package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
import java.util.List;

/**
 * Sends the responses of one watch stream. Called on the hub's thread only, in the order in which
 * responses must leave; must not block. {@code revision} is always the header's.
 */
public interface WatchSink {
    /** Watch id of responses that belong to no watcher. */
    long NO_WATCHER = -1;

    /**
     * True if the transport takes more without queueing; else the hub waits for {@link
     * WatchStream#ready}.
     */
    boolean isReady();

    /** Bytes that the client's connection has taken so far, of any kind. */
    long takenBytes();

    /** A watcher was created. */
    void created(long watchId, long revision);

    /** A watcher was refused: id -1, created and canceled. */
    void refused(long revision, Refusal refusal);

    /**
     * Events of one watcher: whole revisions, in order. The transport is ready, unless they were
     * read from the log while other responses filled it.
     *
     * @param prevKv encode with replaced KeyValues
     * @param fragment may be split into several responses
     */
    void events(
            long watchId, long revision, List<WatchEvent> events, boolean prevKv, boolean fragment);

    /** This watcher (or, id -1, each one) has all events up to {@code revision}. */
    void progress(long watchId, long revision);

    /** The client cancelled a watcher. */
    void canceled(long watchId, long revision);

    /** A watcher was cancelled by compaction; header revision 0, as in etcd. */
    void compacted(long watchId, long compactRevision);

    /** The stream ends with an error. */
    void failed(BackendException cause);

    /**
     * A call of the stream's create, cancel or requestProgress has taken effect; once for each. A
     * transport that reads the client's next request only now bounds the hub's command queue.
     */
    default void taken() {}

    /**
     * The client has not read for too long while others wait: the transport must close the
     * connection, and drop what it has queued. The stream ends.
     */
    void stalled();

    /** Why a watcher was refused. */
    enum Refusal {
        DUPLICATE_ID,
        EMPTY_RANGE,
        NEGATIVE_REVISION
    }
}
