package io.brain.backend.watch;

/** The asking side of one watch stream. Any thread may call; calls take effect in their order. */
public interface WatchStream extends AutoCloseable {
    /** Creates a watcher; answered by {@code created} or {@code refused}. */
    void create(WatchRequest request);

    /** Ends a watcher; an unknown id is ignored. */
    void cancel(long watchId);

    /** Asks for one progress response, given only if every watcher of the stream has caught up. */
    void requestProgress();

    /** The transport takes responses again. */
    void ready();

    /** Ends all watchers; the sink is not called once this has taken effect. Does not block. */
    @Override
    void close();
}
