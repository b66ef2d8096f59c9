package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import java.util.List;

/** One watcher: its next revision, and no events. Used by the hub's thread. */
final class Watcher {
    /** Where a watcher's next events come from. */
    enum State {
        /** Synced: each revision as it is published. */
        SYNCED,
        /** Unsynced: the event ring, when it is the turn of its stream. */
        RING,
        /** Unsynced: the commit log, when a log reader is free. */
        LOG,
        /** Unsynced: a log reader, which is reading. */
        READING,
        /** None, as the next revision is compacted; the client must cancel it to free its id. */
        COMPACTED,
        /** None. */
        ENDED
    }

    final OpenStream stream;
    final long id;
    final WatchRequest request;

    /** Position in the order of creation on the node. */
    final long serial;

    State state = State.ENDED;

    /** First revision that was not sent; if synced, only a lower bound. */
    long next;

    /** True if created with a past revision, and unsynced since: responses are large. */
    boolean replaying;

    /** True after a failed read for it and others: it is read for alone. */
    boolean alone;

    /** True if no events were sent since the last progress notification of its stream was due. */
    boolean quiet = true;

    /** The revision of the last notification before a compaction; 0 if there was none. */
    long notified;

    /** Its events of the revision that is being sent to synced watchers; null if none yet. */
    List<WatchEvent> matched;

    Watcher(OpenStream stream, long id, WatchRequest request, long serial) {
        this.stream = stream;
        this.id = id;
        this.request = request;
        this.serial = serial;
    }

    /** True if it needs this event, provided that its span contains the key. */
    boolean wants(WatchEvent event) {
        return event.revision() >= next && request.wants(event.isDelete());
    }

    /** True if everything up to {@code revision}, which all synced watchers have, was sent. */
    boolean isSyncedAt(long revision) {
        return state == State.SYNCED && request.startRevision() <= revision;
    }

    boolean isUnsynced() {
        return state == State.RING || state == State.LOG || state == State.READING;
    }
}
