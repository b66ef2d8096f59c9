package io.brain.backend.watch;

import io.brain.backend.model.ErrorKind;

/** The requests of a watch stream. Any thread; requests are executed in order. */
public interface WatchStream extends AutoCloseable {
    /** Creates a watcher; the response is {@code created} or {@code refused}. */
    void create(WatchRequest request);

    /** Refuses a watcher whose keys the client may not read; the response is {@code forbidden}. */
    void refuse(ErrorKind why);

    /** Cancels a watcher; an unknown id is ignored. */
    void cancel(long watchId);

    /** Requests a progress response, which is sent only if all watchers are synced. */
    void requestProgress();

    /** The transport accepts responses again. */
    void ready();

    /** Ends the stream and, once executed, all calls of the sink. Does not block. */
    @Override
    void close();
}
