package io.brain.backend.watch;

/** The request side of one watch stream. Any thread may call; calls take effect in order. */
public interface WatchStream extends AutoCloseable {
    /** Creates a watcher; the response is {@code created} or {@code refused}. */
    void create(WatchRequest request);

    /** Ends a watcher; an unknown id is ignored. */
    void cancel(long watchId);

    /** Requests one progress response, sent only if all watchers of the stream are synced. */
    void requestProgress();

    /** Notes that the transport takes responses again. */
    void ready();

    /** Ends the stream; the sink is not called once this has taken effect. Does not block. */
    @Override
    void close();
}
