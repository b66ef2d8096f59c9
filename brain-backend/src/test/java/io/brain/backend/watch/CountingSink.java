package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
import java.util.List;

/** A transport for large numbers: counts, and is ready or not. */
class CountingSink implements WatchSink {
    boolean ready = true;
    long created;
    long events;
    long responses;

    @Override
    public long takenBytes() {
        return 0;
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public void created(long watchId, long revision) {
        created++;
    }

    @Override
    public void refused(long revision, Refusal refusal) {
        throw new AssertionError(refusal);
    }

    @Override
    public void events(
            long watchId, long revision, List<WatchEvent> told, boolean prevKv, boolean fragment) {
        if (!ready) {
            throw new AssertionError("events for a transport that is not ready");
        }
        responses++;
        events += told.size();
    }

    @Override
    public void progress(long watchId, long revision) {}

    @Override
    public void canceled(long watchId, long revision) {}

    @Override
    public void compacted(long watchId, long compactRevision) {
        throw new AssertionError("compacted");
    }

    @Override
    public void failed(BackendException cause) {
        throw cause;
    }

    @Override
    public void stalled() {
        throw new AssertionError("stalled");
    }
}
