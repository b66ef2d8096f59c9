package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer; used by one thread at a time.
 *
 * <p>After an error of a write nothing is known about the log's end: the batch may be whole, cut
 * short or absent. So the engine is never written to again. It is closed and opened anew, which
 * reads the log from the disk, and what is there then is what happened.
 */
final class Committer {
    /** How a batch gets into the engine; tests fail it. */
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

    /** Why the engine must not be written to; null if it may. */
    private StorageException failure;

    /** Why the newest write failed, also after the engine was replaced; null if it did not. */
    private StorageException lastFailure;

    /** True until there is seen to be room for the ballast, and for what the engine does. */
    private boolean scarce = true;

    private long reopenNotBefore = System.nanoTime();
    private long roomNotBefore = System.nanoTime() + ROOM_NANOS;

    /** The sequence number up to which every batch is durable. */
    private volatile long timestamp;

    Committer(
            EngineSlot slot,
            EngineOpener opener,
            Ballast ballast,
            RocksDbSettings settings,
            Writer writer) {
        this.slot = slot;
        this.opener = opener;
        this.ballast = ballast;
        this.settings = settings;
        this.writer = writer;
        this.timestamp = slot.current().sequence();
    }

    /** That of the newest commit; any thread may ask. */
    long timestamp() {
        return timestamp;
    }

    /** True if a commit is now a write and its sync, and nothing else. */
    boolean isAtRest() {
        return failure == null && !scarce;
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
            // Those that need not be synced are too. What is not synced when RocksDB begins another
            // log could be lost while later batches are not: a hole, and the store would be
            // refused as damaged. A sync costs little beside a batch of housekeeping.
            writer.write(engine, encoded, settings.syncWrites());
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
                        new StorageException(kind, "the batch did not land", lastFailure));
            }
            return new CommitResult.Committed(timestamp);
        } catch (StorageException e) {
            return new CommitResult.Uncertain(e);
        }
    }

    /** Lays in the ballast, and lets the engine use the disk freely, when there is room again. */
    private void lookForRoom() {
        if (!scarce || failure != null || System.nanoTime() - roomNotBefore < 0) {
            return;
        }
        roomNotBefore = System.nanoTime() + ROOM_NANOS;
        try {
            if (ballast.layIn() && opener.hasRoom()) {
                slot.current().useRoom(settings.engine());
                scarce = false;
            }
        } catch (RocksDBException | StorageException e) {
            log.warn("cannot tell whether there is room, or use it: {}", e.getMessage());
        }
    }

    /** The last call: frees the engine, which nobody reads any more. */
    void close() {
        Engine engine = slot.current();
        if (engine == null) {
            return;
        }
        try {
            if (failure == null) {
                engine.sync();
                opener.markClosed(engine.sequence());
            }
        } catch (RocksDBException e) {
            log.warn("unsynced batches may be lost: {}", RocksErrors.line(e));
        }
        engine.free();
    }

    /**
     * The engine, replaced if it failed.
     *
     * @throws StorageException if it cannot be replaced now; then a later call tries again
     */
    private Engine healthyEngine() {
        if (failure == null) {
            return slot.current();
        }
        // A merge met damage, and would meet it again: an operator has to see to it. Until then
        // what is sound can be read. A store that cannot be opened for damage is tried again.
        boolean damaged = failure.kind() == Kind.CORRUPT && slot.current() != null;
        if (damaged || System.nanoTime() - reopenNotBefore < 0) {
            throw failure;
        }
        try {
            log.info("reopening the engine after: {}", failure.getMessage());
            opener.checkRoomToOpen();
            slot.empty();
            slot.fill(opener.open());
            makeReplayDurable(slot.current());
            failure = null;
            scarce = true;
            roomNotBefore = System.nanoTime();
            return slot.current();
        } catch (StorageException e) {
            log.error("cannot reopen the engine: {}", e.getMessage());
            failure = e;
            slot.emptyFor(e);
            reopenNotBefore = System.nanoTime() + REOPEN_NANOS;
            throw e;
        }
    }

    /**
     * A log whose sync failed may show batches that the disk does not have. What was replayed
     * beyond the last durable batch is written to a file before anything builds on it.
     */
    private void makeReplayDurable(Engine engine) {
        try {
            if (engine.sequence() > timestamp) {
                engine.flush();
                timestamp = engine.sequence();
            }
        } catch (RocksDBException e) {
            throw RocksErrors.of("cannot write what was replayed to a file", e);
        }
    }

    private StorageException fail(Throwable error) {
        failure =
                error instanceof RocksDBException e
                        ? RocksErrors.of("cannot write", e)
                        : new StorageException(Kind.UNAVAILABLE, "cannot write: " + error, error);
        lastFailure = failure;
        reopenNotBefore = System.nanoTime();
        log.error("{}; the engine takes no more writes until it is reopened", failure.getMessage());
        return failure;
    }
}
