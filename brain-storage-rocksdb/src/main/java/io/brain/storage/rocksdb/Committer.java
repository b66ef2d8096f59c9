package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.rocksdb.recovery.Ballast;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer. Used by one thread at a time.
 *
 * <p>After a write error the state of the log's end is unknown: the batch may be complete,
 * truncated or absent. The engine is therefore not written to again but closed and reopened; the
 * log read from disk determines the outcome.
 */
final class Committer {
    /** Writes a batch to the engine; replaced in tests of failures. */
    interface Writer {
        void write(Engine engine, byte[] batch, boolean sync) throws RocksDBException;
    }

    private static final Logger log = LoggerFactory.getLogger(Committer.class);
    private static final long REOPEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final EngineSlot slot;
    private final EngineOpener opener;
    private final Ballast ballast;
    private final RocksDbSettings settings;
    private final Writer writer;
    private final LogRoom room;

    /** Reason why the engine must not be written to; null if it may. */
    private StorageException failure;

    /** Failure of the last write, kept when the engine is replaced; null if it succeeded. */
    private StorageException lastFailure;

    /** True until enough free space for the reserved file and the engine is detected. */
    private boolean scarce = true;

    private long reopenNotBefore = System.nanoTime();
    private long roomNotBefore = System.nanoTime() + ROOM_NANOS;

    /** True if the first batch of a store that is filled is durable: it says that it is. */
    private boolean begun;

    /** Sequence number up to which every batch is durable. */
    private volatile long timestamp;

    Committer(
            EngineSlot slot,
            EngineOpener opener,
            Ballast ballast,
            RocksDbSettings settings,
            Writer writer,
            LogRoom room) {
        this.slot = slot;
        this.opener = opener;
        this.ballast = ballast;
        this.settings = settings;
        this.writer = writer;
        this.room = room;
        this.timestamp = slot.current().sequence();
    }

    /** Timestamp of the last commit. Thread-safe. */
    long timestamp() {
        return timestamp;
    }

    CommitResult commit(WriteBatch batch) {
        Engine engine;
        byte[] encoded;
        try {
            engine = healthyEngine();
            for (Mutation mutation : batch.mutations()) {
                if (mutation.isGuarded()) {
                    Bytes actual = engine.newest(mutation.key());
                    if (!mutation.holds(actual)) {
                        return new CommitResult.Conflict(
                                mutation.key(), Optional.ofNullable(actual));
                    }
                }
            }
            encoded = BatchEncoder.encode(batch);
        } catch (StorageException e) {
            return new CommitResult.Unavailable(e);
        }
        try {
            // Every batch is synced, deletes of a compaction too: if RocksDB starts another log
            // before a sync, a crash leaves a gap that the next start refuses as damage.
            if (!scarce && settings.syncWrites() && !settings.engine().loading()) {
                room.prepare(encoded.length);
            }
            writer.write(engine, encoded, settings.syncWrites());
            if (settings.engine().loading() && !begun) {
                engine.flush();
                begun = true;
            }
        } catch (RocksDBException | RuntimeException | Error e) {
            return new CommitResult.Uncertain(fail(e));
        }
        lastFailure = null;
        timestamp = engine.sequence();
        lookForRoom();
        return new CommitResult.Committed(timestamp);
    }

    CommitResult resolve(WriteBatch batch) {
        try {
            Engine engine = healthyEngine();
            if (!batch.resolvingValue().equals(engine.newest(batch.primary().key()))) {
                Kind kind = lastFailure == null ? Kind.UNAVAILABLE : lastFailure.kind();
                return new CommitResult.Unavailable(
                        new StorageException(kind, "batch was not committed", lastFailure));
            }
            return new CommitResult.Committed(timestamp);
        } catch (StorageException e) {
            return new CommitResult.Uncertain(e);
        }
    }

    /** Restores the reserved space and the engine's normal disk use once enough space is free. */
    private void lookForRoom() {
        if (!scarce || failure != null || System.nanoTime() - roomNotBefore < 0) {
            return;
        }
        roomNotBefore = System.nanoTime() + ROOM_NANOS;
        try {
            if (ballast.reserve() && opener.hasRoom()) {
                slot.current().useRoom(settings.engine());
                scarce = false;
            }
        } catch (RocksDBException | StorageException e) {
            log.warn("failed to restore normal disk use error={}", e.getMessage());
        }
    }

    /** Frees the engine after the last reader; the last call. */
    void close() {
        Engine engine = slot.current();
        if (engine == null) {
            return;
        }
        try {
            if (failure == null) {
                makeDurable(engine);
                opener.markClosed(engine.sequence());
            }
        } catch (RocksDBException e) {
            log.warn(
                    "final sync failed, unsynced batches may be lost error={}",
                    RocksErrors.line(e));
        }
        engine.free();
    }

    /**
     * Ends the loading of a store.
     *
     * @throws StorageException if commits may be lost
     */
    void finishLoading() {
        Engine engine = healthyEngine();
        try {
            makeDurable(engine);
            engine.compact(settings.engine().backgroundJobs());
        } catch (RocksDBException e) {
            throw fail(e);
        }
    }

    private void makeDurable(Engine engine) throws RocksDBException {
        if (settings.engine().loading()) {
            engine.flush();
        } else {
            engine.sync();
        }
    }

    /**
     * The engine; reopens it after a failure, unless it has no log that tells what was written.
     *
     * @throws StorageException if it cannot be reopened now; later calls retry
     */
    private Engine healthyEngine() {
        if (failure == null) {
            return slot.current();
        }
        // Damage found by a background compaction remains until an operator intervenes; undamaged
        // data stays readable. A damaged store that cannot be opened is retried.
        boolean damaged = failure.kind() == Kind.CORRUPT && slot.current() != null;
        if (damaged || settings.engine().loading() || System.nanoTime() - reopenNotBefore < 0) {
            throw failure;
        }
        try {
            log.info("reopening engine cause={}", failure.getMessage());
            opener.checkRoomToOpen();
            slot.empty();
            slot.fill(opener.open());
            makeReplayDurable(slot.current());
            failure = null;
            scarce = true;
            roomNotBefore = System.nanoTime();
            return slot.current();
        } catch (StorageException e) {
            log.error("failed to reopen engine error={}", e.getMessage());
            failure = e;
            slot.emptyFor(e);
            reopenNotBefore = System.nanoTime() + REOPEN_NANOS;
            throw e;
        }
    }

    /**
     * Makes replayed batches durable: after a failed sync the log may show batches that are not on
     * disk. Batches after the last durable one are flushed to a file before the next commit.
     */
    private void makeReplayDurable(Engine engine) {
        try {
            if (engine.sequence() > timestamp) {
                engine.flush();
                timestamp = engine.sequence();
            }
        } catch (RocksDBException e) {
            if (RocksErrors.kind(e) == Kind.NO_SPACE && ballast.release()) {
                log.warn("no disk space, released reserved disk space"); // for the next attempt
            }
            throw RocksErrors.of("cannot flush replayed batches", e);
        }
    }

    /**
     * True if a write was stopped because of an error of an earlier compaction, for which there may
     * be space by now: a reopened engine tells. Not true twice without a success between.
     */
    private boolean isOldFailure(RocksDBException error) {
        return lastFailure == null && RocksErrors.hasCode(error, Status.Code.Incomplete);
    }

    private StorageException fail(Throwable error) {
        failure =
                error instanceof RocksDBException e && !isOldFailure(e)
                        ? RocksErrors.of("cannot write", e)
                        : new StorageException(Kind.UNAVAILABLE, "cannot write: " + error, error);
        lastFailure = failure;
        reopenNotBefore = System.nanoTime();
        log.error("write failed, engine will be reopened error={}", failure.getMessage());
        return failure;
    }
}
