package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import java.util.List;

/**
 * One watcher: a place in history. Holds no events of its own, however far it is behind. Belongs to
 * the hub's thread.
 */
final class Watcher {
    /** What a watcher is waiting for. */
    enum State {
        /** New revisions: it is in the live index. */
        LIVE,
        /** Its stream's turn, to be fed from the ring. */
        LAGGING,
        /** A reader of the commit log. */
        WAITING,
        /** The reader's answer. */
        READING,
        /** The client's cancel: compaction has ended it, but its id stays taken. */
        COMPACTED,
        /** Nothing. */
        ENDED
    }

    final ServerWatchStream stream;
    final long id;
    final WatchRequest request;
    // Creation order among all watchers of the hub.
    final long serial;

    State state = State.ENDED;
    // First revision that it was not told yet; of a live watcher only a lower bound.
    long next;
    // Created in the past and not caught up yet: gets history in large responses.
    boolean replaying;
    // A read for it and others failed for good: it is read alone from now on.
    boolean alone;
    // Got no events since its stream's last progress tick.
    boolean quiet = true;
    // Its events of the revision that is being delivered live; null if there are none so far.
    List<WatchEvent> matched;

    Watcher(ServerWatchStream stream, long id, WatchRequest request, long serial) {
        this.stream = stream;
        this.id = id;
        this.request = request;
        this.serial = serial;
    }

    /** True if it wants this change, provided its span covers the key. */
    boolean wants(WatchEvent event) {
        return event.revision() >= next && request.wants(event.isDelete());
    }

    /** True if it was told everything up to {@code revision}, which live matching has reached. */
    boolean isSyncedAt(long revision) {
        return state == State.LIVE && request.startRevision() <= revision;
    }

    /** True if it exists but has not caught up. */
    boolean isBehind() {
        return state == State.LAGGING || state == State.WAITING || state == State.READING;
    }
}
