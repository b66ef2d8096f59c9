package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import java.util.List;

/**
 * A request and the next revision that it needs. Holds no events, however far it is behind. Belongs
 * to the hub's thread; {@link WatcherGroups} changes the state.
 */
final class Watcher {
    /** What the watcher waits for. */
    enum State {
        /** The next commit: it is in the index of synced watchers. */
        SYNCED,
        /** Its turn to be fed from the event ring. */
        RING,
        /** A reader of the commit log. */
        LOG,
        /** The result of a read of the commit log. */
        READING,
        /** The client's cancel: compaction has ended it, but its id stays in use. */
        COMPACTED,
        /** Nothing: it is being created or has ended. */
        NONE
    }

    final StreamOutput output;
    final long id;
    final WatchRequest request;
    // Order of creation among all watchers.
    final long serial;
    State state = State.NONE;
    // First revision that is not sent yet; of a synced watcher only a lower bound.
    long next;
    // Created in the past and never synced: gets many revisions in one response.
    boolean replaying;
    // A read for it and others failed for good: the next one is for it alone.
    boolean alone;
    // No events since the last periodic progress of its stream.
    boolean quiet = true;
    // Its events of the revision that is being sent to synced watchers; null if there are none.
    List<WatchEvent> matched;

    Watcher(StreamOutput output, long id, WatchRequest request, long serial) {
        this.output = output;
        this.id = id;
        this.request = request;
        this.serial = serial;
    }

    /** True if it needs this change, provided that its span covers the key. */
    boolean wants(WatchEvent event) {
        return event.revision() >= next && request.wants(event.isDelete());
    }

    /** True if it has been sent everything up to {@code revision}, as all synced watchers have. */
    boolean isSyncedAt(long revision) {
        return state == State.SYNCED && request.startRevision() <= revision;
    }

    boolean isUnsynced() {
        return state == State.RING || state == State.LOG || state == State.READING;
    }
}
