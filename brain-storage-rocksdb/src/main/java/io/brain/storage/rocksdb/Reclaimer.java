package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the engine give back the room of what was deleted, on a thread of its own, once at a time.
 */
final class Reclaimer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);
    private static final int IDLE_SECONDS = 5;

    private final EngineSlot slot;
    private final LongSupplier usableBytes;

    /** One hint is being followed, one may wait; more would be followed by the one that waits. */
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
     * @param usableBytes what can still be written to the file system
     */
    Reclaimer(EngineSlot slot, LongSupplier usableBytes) {
        this.slot = slot;
        this.usableBytes = usableBytes;
    }

    /** Asks for it; returns at once. */
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
            // Merged tables are written before those they are made of are deleted: on a disk that
            // is nearly full this would take the last room rather than make some.
            if (usableBytes.getAsLong() < before + before / 8) {
                log.warn("nothing is reclaimed: the disk has no room for {} bytes more", before);
                return;
            }
            long begin = System.nanoTime();
            engine.reclaim();
            log.info(
                    "reclaimed in {} ms: {} bytes of tables before, {} now",
                    (System.nanoTime() - begin) / 1_000_000,
                    before,
                    engine.tableBytes());
        } catch (RocksDBException e) {
            log.info("broke off reclaiming: {}", RocksErrors.line(e));
        } finally {
            engine.readers().leave();
        }
    }

    /** To be called when the slot was closed, which breaks off what is being done. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
