package io.brain.storage.rocksdb;

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
 * What a power failure left of the batch that was on its way: of its pages some reached the disk
 * and some are zeros, in any order, as nothing was synced yet. Nobody was told that the batch is
 * stored, but RocksDB takes it for damage, unless just its end is missing. So it is cut off.
 *
 * <p>Without a piece of zeros, of a disk's sector at least, it is damage, and RocksDB's to refuse.
 */
final class TornTail {
    private static final Logger log = LoggerFactory.getLogger(TornTail.class);
    private static final int SECTOR = 512;

    private TornTail() {}

    /** Cuts such tails off, and makes durable what is left of each log, and what it is made of. */
    static void cut(List<Path> logs) {
        for (Path file : logs) {
            OptionalLong tail = find(file);
            try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
                if (tail.isPresent()) {
                    log.warn(
                            "{}: the last {} bytes are of a batch that was never whole; cut off",
                            file,
                            channel.size() - tail.getAsLong());
                    channel.truncate(tail.getAsLong());
                }
                // What a killed process wrote and did not sync is read from the system's memory,
                // shown and built upon; RocksDB does not sync a log that it did not write itself.
                channel.force(true);
            } catch (IOException e) {
                throw unusable(file, e);
            }
        }
    }

    /** Where it begins; empty if there is none. The log must be free of other damage. */
    static OptionalLong find(Path file) {
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

    /** True if the rest of a sector is zeros, at {@code from} or behind it. */
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
