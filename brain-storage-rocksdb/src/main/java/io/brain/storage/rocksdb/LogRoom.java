package io.brain.storage.rocksdb;

import static java.nio.file.StandardOpenOption.WRITE;

import io.brain.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Zeros behind the end of the write-ahead log while batches are small. The sync of a batch that is
 * written over them writes its data only; where the file grows, also its inode
 * (docs/decisions/0008). RocksDB writes at its own offset, and truncates a log when it closes it;
 * after a crash, the next start does.
 *
 * <p>Used by the thread that commits, as nothing else may append to a log.
 */
final class LogRoom {
    static final int ROOM_BYTES = 256 << 10;

    /** With fewer batches in as many bytes, a sync writes much more data than inode. */
    static final int BATCHES_MIN = 8;

    /**
     * RocksDB writes more than 1 MiB in several calls. A process killed between them would leave
     * data and then zeros that begin anywhere in a sector, which looks like damage.
     */
    static final int BATCH_BYTES_MAX = 512 << 10;

    private static final Logger log = LoggerFactory.getLogger(LogRoom.class);

    private final Supplier<List<Path>> logs;
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(ROOM_BYTES);

    /** About the bytes to write until the room ends, or until batches are small, to make some. */
    private long left = ROOM_BYTES;

    private int batches;

    /**
     * Creates it.
     *
     * @param logs lists the logs, oldest first
     */
    LogRoom(Supplier<List<Path>> logs) {
        this.logs = logs;
    }

    /** Called before a batch is written. */
    void prepare(int batchBytes) {
        left -= batchBytes;
        batches++;
        if (left >= 0) {
            return;
        }
        if (batches >= BATCHES_MIN) {
            if (batchBytes > BATCH_BYTES_MAX) {
                left = 0; // the next batch makes room
                return;
            }
            extend(-left);
        }
        left = ROOM_BYTES;
        batches = 0;
    }

    private void extend(long beyond) {
        try {
            List<Path> all = logs.get();
            if (!all.isEmpty()) {
                extend(all.get(all.size() - 1), beyond);
            }
        } catch (IOException | StorageException e) {
            // RocksDB will say so, if it cannot write either.
            log.debug("failed to extend write-ahead log error={}", e.toString());
        }
    }

    /**
     * Writes zeros where the next batch ends.
     *
     * @param beyond bytes of the batch beyond the end of the file, which it fills
     */
    private void extend(Path newest, long beyond) throws IOException {
        try (FileChannel file = FileChannel.open(newest, WRITE)) {
            long end = file.size() + beyond;
            zeros.clear();
            while (zeros.hasRemaining()) {
                file.write(zeros, end + zeros.position());
            }
        }
    }
}
