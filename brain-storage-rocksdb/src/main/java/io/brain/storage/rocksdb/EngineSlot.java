package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the current engine. Readers wait a bounded time while it is replaced. RocksDB's lock allows
 * one open database per directory, so the old one is freed before the new one is opened.
 */
final class EngineSlot {
    /** Limits of the waits of readers and of a replacement, in milliseconds. */
    record Timeouts(long newReadMillis, long openReadMillis, long refusedReadMillis) {
        static final Timeouts STANDARD = new Timeouts(5_000, 2_000, 8_000);
    }

    private static final Logger log = LoggerFactory.getLogger(EngineSlot.class);

    private final Timeouts timeouts;
    private volatile Engine engine;

    /** Reason of a lasting failure to reopen; null otherwise. */
    private StorageException cause;

    private boolean closed;

    EngineSlot(Engine engine, Timeouts timeouts) {
        this.engine = engine;
        this.timeouts = timeouts;
    }

    /**
     * Enters the engine's gate; the caller must leave it.
     *
     * @throws StorageException kind CLOSED, UNAVAILABLE while the engine is being replaced, or the
     *     reason of a lasting failure
     */
    Engine enter() {
        Engine current = engine;
        return current != null && current.readers().enter() ? current : enterInTime();
    }

    private synchronized Engine enterInTime() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeouts.newReadMillis());
        while (true) {
            if (closed) {
                throw new StorageException(Kind.CLOSED, "storage is closed");
            }
            if (engine != null && engine.readers().enter()) {
                return engine;
            }
            if (engine == null && cause != null) {
                throw new StorageException(cause.kind(), cause.getMessage(), cause);
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new StorageException(Kind.UNAVAILABLE, "engine is being reopened");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(Kind.UNAVAILABLE, "interrupted", e);
            }
        }
    }

    /** Throws kind CLOSED once {@link #close} was called. */
    synchronized void checkOpen() {
        if (closed) {
            throw new StorageException(Kind.CLOSED, "storage is closed");
        }
    }

    /** The engine, for the writer, which also replaces it; null if there is none. */
    Engine current() {
        return engine;
    }

    /**
     * Frees the engine, so that another can be opened. Waits for open readers; after a timeout
     * their reads are refused.
     *
     * @throws StorageException kind UNAVAILABLE if readers remain; the engine then continues to
     *     serve
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
                        Kind.UNAVAILABLE,
                        "open readers prevent the reopening of the failed engine");
            }
        }
        synchronized (this) { // others read it twice under the monitor
            engine = null;
        }
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

    /** Makes readers fail with a lasting failure instead of waiting. */
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

    /** Refuses new and open readers; false if already closed. */
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

    /** Waits for the readers after close; false if some remain after a minute. */
    boolean awaitReaders() throws InterruptedException {
        Engine last = engine;
        if (last == null || last.readers().awaitEmpty(1, TimeUnit.MINUTES)) {
            return true;
        }
        log.warn("close is waiting for open snapshots or cursors");
        return false;
    }
}
