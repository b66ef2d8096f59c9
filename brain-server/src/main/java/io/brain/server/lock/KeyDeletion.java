package io.brain.server.lock;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchRequest;
import io.brain.backend.watch.WatchStream;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Waits for the deletion of a key, with one watcher. */
final class KeyDeletion extends EventSink {
    private final CompletableFuture<Void> deleted = new CompletableFuture<>();

    private KeyDeletion() {}

    /**
     * Completes on the watch hub's thread when the key is deleted after {@code revision}, or if the
     * revision is compacted and the key must be read again. Cancelling it ends the watcher.
     */
    static CompletableFuture<Void> of(RequestCalls calls, Bytes key, long revision) {
        KeyDeletion sink = new KeyDeletion();
        KeySpan span = KeySpan.of(key);
        WatchStream stream = calls.watch(sink, span);
        Futures.onEnd(sink.deleted, (done, failure) -> stream.close());
        stream.create(new WatchRequest(0, span, revision + 1, false, false, false, true, false));
        return sink.deleted;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public long takenBytes() {
        return 0;
    }

    @Override
    public void events(
            long watchId,
            long revision,
            List<WatchEvent> events,
            boolean prevKv,
            boolean fragment) {
        deleted.complete(null);
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        deleted.complete(null);
    }

    @Override
    public void failed(BackendException cause) {
        deleted.completeExceptionally(cause);
    }

    @Override
    public void stalled() {
        failed(new BackendException(ErrorKind.WATCH_INTERRUPTED));
    }
}
