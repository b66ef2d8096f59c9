package io.brain.storage.rocksdb;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file without meaning that takes room while there is some. When the disk is full it is deleted,
 * and its room lets the store be opened again and an alarm be stored.
 */
final class Ballast {
    private static final Logger log = LoggerFactory.getLogger(Ballast.class);

    /** The disk must have this many times the ballast's size before the ballast is laid in. */
    private static final int ROOM_FACTOR = 4;

    private static final Path NOISE = Path.of("/dev/urandom");

    private final DataDirectory directory;
    private final Path file;
    private final long bytes;

    /**
     * @param bytes its size; 0 for none
     */
    Ballast(DataDirectory directory, long bytes) {
        this.directory = directory;
        this.file = directory.root().resolve("BALLAST");
        this.bytes = bytes;
    }

    /** What can be gained by throwing it overboard. */
    long bytes() {
        return file.toFile().length();
    }

    /** Lays it in if it is not there and there is plenty of room; true if it is there then. */
    boolean layIn() {
        if (bytes() == bytes) {
            return true;
        }
        if (directory.usableBytes() < ROOM_FACTOR * bytes) {
            return false;
        }
        // Noise, and more of it than is compressed at a time: zeros, or less, could take no room.
        // And the system's: to compute it takes a start longer than to open the store.
        try (InputStream random = Files.newInputStream(NOISE);
                OutputStream out = Files.newOutputStream(file)) {
            byte[] noise = random.readNBytes(1 << 20);
            for (long left = bytes; left > 0; left -= noise.length) {
                out.write(noise, 0, (int) Math.min(left, noise.length));
            }
            return true;
        } catch (IOException e) {
            log.warn("cannot write {}: {}", file, e.toString());
            throwOverboard();
            return false;
        }
    }

    /** Deletes it; true if that made room. */
    boolean throwOverboard() {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("cannot delete {}: {}", file, e.toString());
            return false;
        }
    }
}
