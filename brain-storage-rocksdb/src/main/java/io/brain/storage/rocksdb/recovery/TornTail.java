package io.brain.storage.rocksdb.recovery;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a crash leaves behind the last complete batch of a log: zeros that were written ahead
 * (`LogRoom`), and before them perhaps an unsynced batch of which a power failure lost some pages.
 * That batch was not acknowledged, but RocksDB treats it as damage unless only its end is missing.
 *
 * <p>A batch is incomplete if it has a sector of zeros; otherwise it is damage, which RocksDB
 * refuses.
 */
public final class TornTail {
    private static final Logger log = LoggerFactory.getLogger(TornTail.class);
    private static final int SECTOR = 512;
    private static final int CHUNK = 32 << 10;

    private TornTail() {}

    /** What is behind the complete batches of a log. */
    private enum Rest {
        /** Also: nothing. */
        ZEROS,
        INCOMPLETE,
        /** A batch without a sector of zeros: damaged, or cut off at its end. */
        BATCH
    }

    /** Truncates torn tails and zeros, and syncs each log. */
    public static void cut(List<Path> logs) {
        for (Path file : logs) {
            try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
                LogCheck check = new LogCheck();
                if (check.damage(file).isEmpty()) {
                    cut(file, channel, check.wholeBytes());
                }
                // Unsynced writes of a killed process are read from the page cache, and later
                // batches depend on them. RocksDB does not sync a log that it did not write.
                channel.force(true);
            } catch (IOException e) {
                throw unusable(file, e);
            }
        }
    }

    private static void cut(Path file, FileChannel channel, long whole) throws IOException {
        Rest rest = rest(channel, whole);
        if (rest == Rest.INCOMPLETE) {
            log.warn(
                    "write-ahead log ended with an incomplete batch, truncated path={} bytes={}",
                    file,
                    channel.size() - whole);
        }
        if (rest != Rest.BATCH) {
            channel.truncate(whole);
        }
    }

    /** Offset of a torn tail; empty if there is none or the log has other damage. */
    public static OptionalLong find(Path file) {
        try (FileChannel channel = FileChannel.open(file, READ)) {
            LogCheck check = new LogCheck();
            boolean torn =
                    check.damage(file).isEmpty()
                            && rest(channel, check.wholeBytes()) == Rest.INCOMPLETE;
            return torn ? OptionalLong.of(check.wholeBytes()) : OptionalLong.empty();
        } catch (IOException e) {
            throw unusable(file, e);
        }
    }

    /** What is behind the complete batches, which end at {@code whole}. */
    private static Rest rest(FileChannel channel, long whole) throws IOException {
        if (isZeros(channel, whole, channel.size())) {
            return Rest.ZEROS;
        }
        return isIncomplete(channel, LogCheck.recordAt(whole)) ? Rest.INCOMPLETE : Rest.BATCH;
    }

    /** True if a sector of the batch at {@code from}, or what it has of one, is zeros. */
    private static boolean isIncomplete(FileChannel channel, long from) throws IOException {
        long end = Math.min(channel.size(), LogCheck.batchEnd(channel, from));
        for (long at = from; at < end; at = (at / SECTOR + 1) * SECTOR) {
            if (isZeros(channel, at, Math.min(end, (at / SECTOR + 1) * SECTOR))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isZeros(FileChannel channel, long from, long to) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, to - from));
        for (long at = from; at < to; at += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), to - at));
            while (chunk.hasRemaining() && channel.read(chunk, at + chunk.position()) > 0) {}
            chunk.flip();
            while (chunk.hasRemaining()) {
                if (chunk.get() != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private static StorageException unusable(Path file, IOException e) {
        return new StorageException(Kind.UNAVAILABLE, "cannot read or sync " + file + ": " + e, e);
    }
}
