package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compacts the engine to free the space of deleted data; owns a thread, runs once at a time. */
final class Reclaimer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);
    private static final int IDLE_SECONDS = 5;

    private final EngineSlot slot;
    private final LongSupplier usableBytes;

    /** One hint runs and one waits; further hints are covered by the waiting one. */
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    0,
                    1,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(1),
                    task -> new Thread(task, "rocksdb-reclaim"),
                    new ThreadPoolExecutor.DiscardPolicy());

    /**
     * The reclaimer of the slot's engines.
     *
     * @param usableBytes free space of the file system, in bytes
     */
    Reclaimer(EngineSlot slot, LongSupplier usableBytes) {
        this.slot = slot;
        this.usableBytes = usableBytes;
    }

    /** Requests a run; returns at once. */
    void hint() {
        thread.execute(this::reclaim);
    }

    private void reclaim() {
        Engine engine;
        try {
            engine = slot.enter();
        } catch (StorageException away) {
            return;
        }
        try {
            long before = engine.tableBytes();
            // Compaction writes new tables before it deletes the old ones, so on a nearly full disk
            // it would use the last space.
            if (usableBytes.getAsLong() < before + before / 8) {
                log.warn("reclaim skipped, not enough disk space required_bytes={}", before);
                return;
            }
            long begin = System.nanoTime();
            engine.reclaim();
            log.info(
                    "reclaimed disk space duration_ms={} table_bytes_before={} table_bytes={}",
                    (System.nanoTime() - begin) / 1_000_000,
                    before,
                    engine.tableBytes());
        } catch (RocksDBException e) {
            log.info("reclaim canceled error={}", RocksErrors.line(e));
        } finally {
            engine.readers().leave();
        }
    }

    /** Stops the thread, after the slot was closed, which cancels a running compaction. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
