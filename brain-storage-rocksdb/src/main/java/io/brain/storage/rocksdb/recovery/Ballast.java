package io.brain.storage.rocksdb.recovery;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reserved disk space: a file without content of use. It is deleted when the disk is full, so that
 * the store can be reopened and record an alarm.
 */
public final class Ballast {
    private static final Logger log = LoggerFactory.getLogger(Ballast.class);

    /** Free space required before the file is written, as a multiple of its size. */
    private static final int ROOM_FACTOR = 4;

    private static final Path NOISE = Path.of("/dev/urandom");

    private final DataDirectory directory;
    private final Path file;
    private final long bytes;

    /**
     * @param bytes size to reserve; 0 for none
     */
    public Ballast(DataDirectory directory, long bytes) {
        this.directory = directory;
        this.file = directory.root().resolve("BALLAST");
        this.bytes = bytes;
    }

    /** Bytes that {@link #release} can free. */
    public long bytes() {
        return file.toFile().length();
    }

    /**
     * Reserves the space if it is not reserved and enough is free; true if it is reserved
     * afterwards.
     */
    public boolean reserve() {
        if (bytes() == bytes) {
            return true;
        }
        if (directory.usableBytes() < ROOM_FACTOR * bytes) {
            return false;
        }
        // Incompressible content, because a file system may not store zeros. Read from the system:
        // generating it would take longer than opening the store.
        try (InputStream random = Files.newInputStream(NOISE);
                OutputStream out = Files.newOutputStream(file)) {
            byte[] noise = random.readNBytes(1 << 20);
            for (long left = bytes; left > 0; left -= noise.length) {
                out.write(noise, 0, (int) Math.min(left, noise.length));
            }
            return true;
        } catch (IOException e) {
            log.warn("failed to reserve disk space path={} error={}", file, e.toString());
            release();
            return false;
        }
    }

    /** Releases the space; true if any was reserved. */
    public boolean release() {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("failed to release disk space path={} error={}", file, e.toString());
            return false;
        }
    }
}
