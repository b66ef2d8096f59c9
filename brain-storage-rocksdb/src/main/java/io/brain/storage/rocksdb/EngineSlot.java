package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine in use. Readers get it here; while it is replaced they wait a bounded time. RocksDB's
 * lock allows one open database per directory, so the old one must be free before the new one is
 * opened.
 */
final class EngineSlot {
    /** Bounds on what a reader or a replacement waits for. */
    record Timeouts(long newReadMillis, long openReadMillis, long refusedReadMillis) {
        static final Timeouts STANDARD = new Timeouts(5_000, 2_000, 8_000);
    }

    private static final Logger log = LoggerFactory.getLogger(EngineSlot.class);

    private final Timeouts timeouts;
    private volatile Engine engine;

    /** Why the slot is empty, if that will last; null otherwise. */
    private StorageException cause;

    private boolean closed;

    EngineSlot(Engine engine, Timeouts timeouts) {
        this.engine = engine;
        this.timeouts = timeouts;
    }

    /**
     * The engine, with its gate entered: the caller must leave it.
     *
     * @throws StorageException kind CLOSED, UNAVAILABLE while the engine is being replaced, or why
     *     it cannot be
     */
    Engine enter() {
        Engine current = engine;
        return current != null && current.readers().enter() ? current : enterInTime();
    }

    private synchronized Engine enterInTime() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeouts.newReadMillis());
        while (true) {
            if (closed) {
                throw new StorageException(Kind.CLOSED, "the storage was closed");
            }
            if (engine != null && engine.readers().enter()) {
                return engine;
            }
            if (engine == null && cause != null) {
                throw new StorageException(cause.kind(), cause.getMessage(), cause);
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new StorageException(Kind.UNAVAILABLE, "the engine is being reopened");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(Kind.UNAVAILABLE, "interrupted", e);
            }
        }
    }

    /** False once {@link #close} was called. */
    synchronized boolean isOpen() {
        return !closed;
    }

    /** Throws kind CLOSED once {@link #close} was called. */
    synchronized void checkOpen() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "the storage was closed");
        }
    }

    /** The engine for the only writer, who replaces it himself; null if there is none. */
    Engine current() {
        return engine;
    }

    /**
     * Frees the engine, so that another can be opened. Open readers may finish; those that take
     * long are refused further reads.
     *
     * @throws StorageException kind UNAVAILABLE if readers stay: the engine then goes on to serve
     */
    void empty() {
        Engine old = engine;
        if (old == null) {
            return;
        }
        old.shut();
        if (!isLeft(old, timeouts.openReadMillis())) {
            refuse(old, Kind.UNAVAILABLE);
            if (!isLeft(old, timeouts.refusedReadMillis())) {
                refuse(old, null);
                reopen(old);
                throw new StorageException(
                        Kind.UNAVAILABLE, "readers keep the failed engine from being reopened");
            }
        }
        engine = null;
        old.free();
    }

    private static boolean isLeft(Engine old, long millis) {
        try {
            return old.readers().awaitEmpty(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized void refuse(Engine readersOf, Kind kind) {
        readersOf.refuseReads(closed ? Kind.CLOSED : kind);
    }

    private synchronized void reopen(Engine old) {
        if (!closed) {
            old.reopen();
            notifyAll();
        }
    }

    /** Tells readers why there is no engine, rather than have them wait, if that will last. */
    synchronized void emptyFor(StorageException why) {
        cause = engine == null && why.kind().isLasting() ? why : null;
        notifyAll();
    }

    /** Puts an engine into the empty slot. */
    synchronized void fill(Engine next) {
        engine = next;
        cause = null;
        if (closed) {
            next.shut();
            next.refuseReads(Kind.CLOSED);
        }
        notifyAll();
    }

    /** Refuses readers, open ones too; false if that was done before. */
    synchronized boolean close() {
        if (closed) {
            return false;
        }
        closed = true;
        if (engine != null) {
            engine.shut();
            engine.refuseReads(Kind.CLOSED);
        }
        notifyAll();
        return true;
    }

    /** After close: waits for the readers; true if all have left, false after a while. */
    boolean awaitReaders() throws InterruptedException {
        Engine last = engine;
        if (last == null || last.readers().awaitEmpty(1, TimeUnit.MINUTES)) {
            return true;
        }
        log.warn("the storage cannot be closed: snapshots or cursors are open");
        return false;
    }
}
