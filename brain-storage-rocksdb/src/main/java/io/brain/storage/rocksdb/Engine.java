package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.nio.file.Path;
import java.util.Map;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * One open RocksDB and its native objects. Readers enter {@link #readers} before they use it; it is
 * freed when the gate is shut and empty.
 */
final class Engine {
    private final Natives natives = new Natives();
    private final ReaderGate readers = new ReaderGate();
    private final CompactRangeOptions reclaim =
            natives.own(new CompactRangeOptions())
                    .setExclusiveManualCompaction(false)
                    .setAllowWriteStall(false)
                    // A compaction takes notice of a flag that was set before it began.
                    .setCanceled(false);
    private RocksDB db;
    private WriteOptions synced;
    private WriteOptions unsynced;
    private volatile Pin shared;
    private volatile Kind refusal;

    private Engine() {}

    /**
     * Opens RocksDB.
     *
     * @param settings resource limits
     * @param scarceBytes 0; or, if the disk has no space for new files, the extra size of a
     *     memtable that avoids a flush. Until {@link #useRoom} there are no compactions and no
     *     preallocated logs.
     * @param flushReplayed true: flush replayed batches to a file and delete the logs; false: keep
     *     the logs, which opens faster
     * @param create true: create the database, which must not exist
     */
    static Engine open(
            Path directory,
            EngineSettings settings,
            long scarceBytes,
            boolean flushReplayed,
            boolean create)
            throws RocksDBException {
        Engine engine = new Engine();
        try {
            Options options =
                    EngineOptions.of(
                                    settings,
                                    settings.memtableBytes() + scarceBytes,
                                    engine.natives)
                            .setAvoidFlushDuringRecovery(!flushReplayed)
                            .setDisableAutoCompactions(scarceBytes > 0 || settings.loading())
                            .setAllowFAllocate(scarceBytes == 0)
                            .setCreateIfMissing(create)
                            .setErrorIfExists(create);
            if (settings.loading()) {
                EngineOptions.neverStall(options);
            }
            engine.db = engine.natives.own(RocksDB.open(options, directory.toString()));
            boolean logged = !settings.loading();
            engine.synced =
                    engine.natives.own(new WriteOptions().setSync(logged).setDisableWAL(!logged));
            engine.unsynced = engine.natives.own(new WriteOptions().setDisableWAL(!logged));
            return engine;
        } catch (RocksDBException | RuntimeException e) {
            engine.free();
            throw e;
        }
    }

    /** Opens RocksDB read-only; replays the log into memory and writes no file. */
    static Engine openReadOnly(Path directory, EngineSettings settings) throws RocksDBException {
        Engine engine = new Engine();
        try {
            Options options =
                    EngineOptions.of(settings, settings.memtableBytes(), engine.natives)
                            .setLogger(engine.natives.own(new SilentLogger()));
            engine.db =
                    engine.natives.own(RocksDB.openReadOnly(options, directory.toString(), false));
            return engine;
        } catch (RocksDBException | RuntimeException e) {
            engine.free();
            throw e;
        }
    }

    /** Gate of the readers. */
    ReaderGate readers() {
        return readers;
    }

    /** Makes reads throw {@code kind}; null serves them again. */
    void refuseReads(Kind kind) {
        refusal = kind;
    }

    /** Throws if reads are refused. */
    void checkReadable() {
        Kind kind = refusal;
        if (kind != null) {
            String why = kind == Kind.CLOSED ? "storage is closed" : "engine is being reopened";
            throw new StorageException(kind, why);
        }
    }

    /** Pins the newest state for one more user; users between two commits share a pin. */
    Pin pin() {
        Pin pin = shared;
        if (pin != null && pin.users().acquire()) {
            return pin;
        }
        synchronized (this) {
            if (shared == null) {
                shared = new Pin(db);
            }
            boolean pinned = shared.users().acquire();
            assert pinned : "the shared pin is in use as long as it is shared";
            return shared;
        }
    }

    /** The value at the snapshot of the options; null if absent. */
    Bytes get(ReadOptions options, Bytes key) {
        checkReadable();
        try {
            byte[] value = db.get(options, key.array());
            return value == null ? null : Bytes.wrap(value);
        } catch (RocksDBException e) {
            throw RocksErrors.of("cannot read", e);
        }
    }

    /** The newest value, for the writer; null if absent. */
    Bytes newest(Bytes key) {
        try {
            byte[] value = db.get(key.array());
            return value == null ? null : Bytes.wrap(value);
        } catch (RocksDBException e) {
            throw RocksErrors.of("cannot read", e);
        }
    }

    /** Opens an iterator, which the caller closes before it leaves the gate. */
    RocksIterator iterator(ReadOptions options) {
        checkReadable();
        return db.newIterator(options);
    }

    /** Appends an {@linkplain BatchEncoder encoded} batch to the log and makes it visible. */
    void write(byte[] batch, boolean sync) throws RocksDBException {
        try (WriteBatch nativeBatch = new WriteBatch(batch)) {
            db.write(sync ? synced : unsynced, nativeBatch);
        } finally {
            unshare();
        }
    }

    /** Sequence number of the last change. */
    long sequence() {
        return db.getLatestSequenceNumber();
    }

    /** Number of the oldest log that the next open replays. */
    long oldestLog() throws RocksDBException {
        return db.getLongProperty("rocksdb.min-log-number-to-keep");
    }

    /** Metrics by name, without those that RocksDB does not report. */
    Map<String, Long> stats() {
        return EngineStats.read(db);
    }

    /** Makes everything written so far durable. */
    void sync() throws RocksDBException {
        db.flushWal(true);
    }

    /** Flushes the memtables to a file. Does not wait for compactions, as no one else writes. */
    void flush() throws RocksDBException {
        try (FlushOptions wait =
                new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
            db.flush(wait);
        }
    }

    /** Shuts the gate and cancels {@link #reclaim}. */
    void shut() {
        readers.shut();
        reclaim.setCanceled(true);
    }

    /** Undoes {@link #shut}. */
    void reopen() {
        reclaim.setCanceled(false);
        readers.open();
    }

    /**
     * Compacts all levels into the lowest, which frees the space of deleted data. Slow; runs
     * concurrently with commits and other compactions.
     */
    void reclaim() throws RocksDBException {
        db.compactRange(null, null, null, reclaim);
    }

    /**
     * Compacts all levels into the lowest, with several threads.
     *
     * @param threads maximum number
     */
    void compact(int threads) throws RocksDBException {
        try (CompactRangeOptions all = new CompactRangeOptions().setMaxSubcompactions(threads)) {
            db.compactRange(null, null, null, all);
        }
    }

    /** Size of all table files in bytes. */
    long tableBytes() throws RocksDBException {
        return db.getLongProperty("rocksdb.total-sst-files-size");
    }

    /** Restores the settings after an open without free space. */
    void useRoom(EngineSettings settings) throws RocksDBException {
        db.setOptions(
                MutableColumnFamilyOptions.builder()
                        .setWriteBufferSize(settings.memtableBytes())
                        .setDisableAutoCompactions(settings.loading())
                        .build());
    }

    /** Closes the database, after all reads and writes. */
    void free() {
        unshare();
        natives.close();
    }

    /** Ensures that later readers do not get a pin from before the write. */
    private synchronized void unshare() {
        if (shared != null) {
            Pin pin = shared;
            shared = null;
            pin.users().release();
        }
    }
}
