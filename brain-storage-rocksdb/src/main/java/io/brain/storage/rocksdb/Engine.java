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
 * One open RocksDB and everything native that belongs to it. Readers go through {@link #readers}
 * before they use it; it is freed when that is shut and empty.
 */
final class Engine {
    private final Natives natives = new Natives();
    private final ReaderGate readers = new ReaderGate();
    private final CompactRangeOptions reclaim =
            natives.own(new CompactRangeOptions())
                    .setExclusiveManualCompaction(false)
                    .setAllowWriteStall(false);
    private RocksDB db;
    private WriteOptions synced;
    private WriteOptions unsynced;
    private volatile Pin shared;
    private volatile Kind refusal;

    private Engine() {}

    /**
     * Opens RocksDB.
     *
     * @param settings what it may use
     * @param scarceBytes 0; or, where the disk has no room for new files, how much larger a
     *     memtable must be so that none has to become a file. There are no compactions then either,
     *     until {@link #useRoom}, and logs take no room before they need it.
     * @param flushReplayed true: what is replayed becomes a file, and the logs go; false: they
     *     stay, which is faster now
     * @param create true: there must be no database, and one is created
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
                            .setDisableAutoCompactions(scarceBytes > 0)
                            .setAllowFAllocate(scarceBytes == 0)
                            .setCreateIfMissing(create)
                            .setErrorIfExists(create);
            engine.db = engine.natives.own(RocksDB.open(options, directory.toString()));
            engine.synced = engine.natives.own(new WriteOptions().setSync(true));
            engine.unsynced = engine.natives.own(new WriteOptions());
            return engine;
        } catch (RocksDBException | RuntimeException e) {
            engine.free();
            throw e;
        }
    }

    /**
     * Opens RocksDB for reading; what is in the log is replayed into memory, and no file written.
     */
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

    /** Where readers enter and leave. */
    ReaderGate readers() {
        return readers;
    }

    /** From now on readers are told {@code kind} instead of data; null: they are served again. */
    void refuseReads(Kind kind) {
        refusal = kind;
    }

    /** Throws if readers are to be told to go. */
    void checkReadable() {
        Kind kind = refusal;
        if (kind != null) {
            String why = kind == Kind.CLOSED ? "the storage was closed" : "the engine is reopened";
            throw new StorageException(kind, why);
        }
    }

    /** The newest state, pinned for one more user; between two commits always the same. */
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

    /** The value as of the options' snapshot; null if there is none. */
    Bytes get(ReadOptions options, Bytes key) {
        checkReadable();
        try {
            byte[] value = db.get(options, key.array());
            return value == null ? null : Bytes.wrap(value);
        } catch (RocksDBException e) {
            throw RocksErrors.of("cannot read", e);
        }
    }

    /** The newest value, for the writer; null if there is none. */
    Bytes newest(Bytes key) {
        try {
            byte[] value = db.get(key.array());
            return value == null ? null : Bytes.wrap(value);
        } catch (RocksDBException e) {
            throw RocksErrors.of("cannot read", e);
        }
    }

    /** A walk that the caller closes before it leaves. */
    RocksIterator iterator(ReadOptions options) {
        checkReadable();
        return db.newIterator(options);
    }

    /** Appends an {@linkplain BatchEncoder encoded} batch to the log, and makes it visible. */
    void write(byte[] batch, boolean sync) throws RocksDBException {
        try (WriteBatch nativeBatch = new WriteBatch(batch)) {
            db.write(sync ? synced : unsynced, nativeBatch);
        } finally {
            unshare();
        }
    }

    /** The number of the newest change, over all time. */
    long sequence() {
        return db.getLatestSequenceNumber();
    }

    /** The number of the oldest log that is replayed when the engine is opened. */
    long oldestLog() throws RocksDBException {
        return db.getLongProperty("rocksdb.min-log-number-to-keep");
    }

    /** Figures for an operator; those that RocksDB does not tell are left out. */
    Map<String, Long> stats() {
        return EngineStats.read(db);
    }

    /** Makes everything written so far durable. */
    void sync() throws RocksDBException {
        db.flushWal(true);
    }

    /** Writes what is in memory to a file of its own, so that the log is not needed for it. */
    void flush() throws RocksDBException {
        try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
            db.flush(wait);
        }
    }

    /** From now on nobody gets in, and what {@link #reclaim} does is broken off. */
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
     * Merges what is in memory and in the upper levels into the lowest, where what was deleted
     * takes no room any more. Takes long; commits and other merges go on beside it.
     */
    void reclaim() throws RocksDBException {
        db.compactRange(null, null, null, reclaim);
    }

    /** Bytes of all tables. */
    long tableBytes() throws RocksDBException {
        return db.getLongProperty("rocksdb.total-sst-files-size");
    }

    /** Ends the restraint that the engine was opened with where there was no room. */
    void useRoom(EngineSettings settings) throws RocksDBException {
        db.setOptions(
                MutableColumnFamilyOptions.builder()
                        .setWriteBufferSize(settings.memtableBytes())
                        .setDisableAutoCompactions(false)
                        .build());
    }

    /** Closes the database; nobody may read or write any more. */
    void free() {
        unshare();
        natives.close();
    }

    /** Readers to come must not get a pin from before the write. */
    private synchronized void unshare() {
        if (shared != null) {
            Pin pin = shared;
            shared = null;
            pin.users().release();
        }
    }
}
