package io.brain.server.standby;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Where calls that change something go: to the source; nowhere, during a cutover, when they wait;
 * or, after it, to this server. Thread-safe.
 */
final class Passage {
    private static final int WAITING_MAX = 10_000;
    private static final long WAITING_BYTES_MAX = 64 << 20;
    private static final int WAIT_SECONDS = 7;

    private enum State {
        TO_SOURCE,
        HELD,
        HERE
    }

    /** Read without the lock; HERE is final. */
    private volatile State state = State.TO_SOURCE;

    // Guarded by this.
    private int atSource;
    private long waitingBytes;
    private List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    private CompletableFuture<Void> empty = CompletableFuture.completedFuture(null);

    /** True if calls are handled here, for good. */
    boolean isOpen() {
        return state == State.HERE;
    }

    /** True while new calls wait. */
    boolean isHeld() {
        return state == State.HELD;
    }

    /**
     * Begins a call; completes with true if it goes to the source, and {@link #leave} must follow.
     * Fails with TIMEOUT or TOO_MANY_REQUESTS.
     *
     * @param bytes of the request
     */
    synchronized CompletableFuture<Boolean> enter(int bytes) {
        if (state == State.HELD) {
            return hold(bytes);
        }
        boolean toSource = state == State.TO_SOURCE;
        atSource += toSource ? 1 : 0;
        return CompletableFuture.completedFuture(toSource);
    }

    private CompletableFuture<Boolean> hold(int bytes) {
        waitingBytes += bytes;
        if (waiting.size() >= WAITING_MAX || waitingBytes > WAITING_BYTES_MAX) {
            waitingBytes -= bytes;
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        waiting.add(released);
        return released.orTimeout(WAIT_SECONDS, TimeUnit.SECONDS)
                .exceptionallyCompose(
                        late ->
                                CompletableFuture.failedFuture(
                                        new BackendException(ErrorKind.TIMEOUT)));
    }

    /** A call at the source has ended. */
    void leave() {
        CompletableFuture<Void> last = null;
        synchronized (this) {
            atSource--;
            if (atSource == 0) {
                last = empty;
            }
        }
        if (last != null) {
            last.complete(null);
        }
    }

    /** Lets new calls wait; completes when none is at the source. */
    synchronized CompletableFuture<Void> holdAll() {
        state = State.HELD;
        empty = new CompletableFuture<>();
        if (atSource == 0) {
            empty.complete(null);
        }
        return empty;
    }

    /** Lets calls go to the source again. */
    void resume() {
        release(State.TO_SOURCE);
    }

    /** Lets calls be handled here. */
    void open() {
        release(State.HERE);
    }

    private void release(State next) {
        List<CompletableFuture<Boolean>> released;
        boolean toSource = next == State.TO_SOURCE;
        synchronized (this) {
            state = next;
            released = waiting;
            waiting = new ArrayList<>();
            waitingBytes = 0;
            atSource += toSource ? released.size() : 0;
        }
        for (CompletableFuture<Boolean> one : released) {
            if (!one.complete(toSource) && toSource) {
                leave(); // it gave up before
            }
        }
    }
}
