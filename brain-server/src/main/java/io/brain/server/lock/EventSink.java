package io.brain.server.lock;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.watch.WatchSink;

/** Receives the events of one watcher, which is not cancelled by request. */
abstract class EventSink implements WatchSink {
    @Override
    public final void created(long watchId, long revision) {
        // Events follow.
    }

    @Override
    public final void progress(long watchId, long revision) {
        // Not requested.
    }

    @Override
    public final void canceled(long watchId, long revision) {
        // Not requested.
    }

    @Override
    public final void refused(long revision, Refusal refusal) {
        failed(new BackendException(ErrorKind.INTERNAL));
    }
}
