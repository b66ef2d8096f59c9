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
 * Truncates an unsynced batch that a power failure left incomplete: some of its pages were written,
 * others are zeros. The batch was not acknowledged, but RocksDB treats it as damage unless only its
 * end is missing.
 *
 * <p>Without a sector of zeros it is damage, which RocksDB refuses.
 */
public final class TornTail {
    private static final Logger log = LoggerFactory.getLogger(TornTail.class);
    private static final int SECTOR = 512;

    private TornTail() {}

    /** Truncates torn tails and syncs each log. */
    public static void cut(List<Path> logs) {
        for (Path file : logs) {
            OptionalLong tail = find(file);
            try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
                if (tail.isPresent()) {
                    log.warn(
                            "write-ahead log ended with an incomplete batch, truncated path={}"
                                    + " bytes={}",
                            file,
                            channel.size() - tail.getAsLong());
                    channel.truncate(tail.getAsLong());
                }
                // Unsynced writes of a killed process are read from the page cache, and later
                // batches depend on them. RocksDB does not sync a log that it did not write.
                channel.force(true);
            } catch (IOException e) {
                throw unusable(file, e);
            }
        }
    }

    /** Offset of a torn tail; empty if there is none or the log has other damage. */
    public static OptionalLong find(Path file) {
        try (FileChannel channel = FileChannel.open(file, READ)) {
            LogCheck check = new LogCheck();
            boolean damaged = check.damage(file).isPresent();
            long begin = check.wholeBytes();
            return !damaged && hasZeros(channel, begin)
                    ? OptionalLong.of(begin)
                    : OptionalLong.empty();
        } catch (IOException e) {
            throw unusable(file, e);
        }
    }

    /** True if the rest of a sector at or after {@code from} is zeros. */
    private static boolean hasZeros(FileChannel channel, long from) throws IOException {
        ByteBuffer sector = ByteBuffer.allocate(SECTOR);
        long at = from;
        while (at < channel.size()) {
            sector.clear().limit((int) (SECTOR - at % SECTOR));
            while (sector.hasRemaining() && channel.read(sector, at + sector.position()) > 0) {}
            sector.flip();
            at += sector.limit();
            boolean zeros = true;
            while (zeros && sector.hasRemaining()) {
                zeros = sector.get() == 0;
            }
            if (zeros) {
                return true;
            }
        }
        return false;
    }

    private static StorageException unusable(Path file, IOException e) {
        return new StorageException(Kind.UNAVAILABLE, "cannot read or sync " + file + ": " + e, e);
    }
}
