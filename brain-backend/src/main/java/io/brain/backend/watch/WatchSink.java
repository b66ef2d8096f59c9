package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.WatchEvent;
import java.util.List;

/**
 * Sends a watch stream's responses. Called by the hub's thread only, in the order of the responses;
 * must not block. {@code revision} is the revision in the response header.
 */
public interface WatchSink {
    /** The watch id of responses that are not for one watcher. */
    long NO_WATCHER = -1;

    /**
     * True if the transport accepts more without queueing; otherwise the hub waits for {@link
     * WatchStream#ready}.
     */
    boolean isReady();

    /** Bytes of any kind that the client's connection accepted so far. */
    long takenBytes();

    /** A watcher was created. */
    void created(long watchId, long revision);

    /** A watcher was refused: the response has id -1, created and canceled. */
    void refused(long revision, Refusal refusal);

    /** A watcher was refused because the client may not read its keys. */
    default void forbidden(long revision, ErrorKind why) {}

    /**
     * Sends events of complete revisions, in order, to a watcher. The transport is ready, unless
     * they were read from the log while other responses filled it.
     *
     * @param prevKv include replaced KeyValues
     * @param fragment split a large response
     */
    void events(
            long watchId, long revision, List<WatchEvent> events, boolean prevKv, boolean fragment);

    /** Everything up to {@code revision} was sent to this watcher; id -1: to all watchers. */
    void progress(long watchId, long revision);

    /** The client cancelled a watcher. */
    void canceled(long watchId, long revision);

    /** A watcher's next revision is compacted; header revision 0, as in etcd. */
    void compacted(long watchId, long compactRevision);

    /** The stream ends with an error. */
    void failed(BackendException cause);

    /**
     * A create, cancel or requestProgress of the stream was executed; called once for each. A
     * transport that reads the next request only then limits the commands in the hub.
     */
    default void taken() {}

    /**
     * The stream ends because its client has not read for too long while others wait: the
     * connection must be closed, and queued responses dropped.
     */
    void stalled();

    /** Why a watcher was refused. */
    enum Refusal {
        DUPLICATE_ID,
        EMPTY_RANGE,
        NEGATIVE_REVISION
    }
}
