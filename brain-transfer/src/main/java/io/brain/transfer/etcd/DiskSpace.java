package io.brain.transfer.etcd;

import io.brain.storage.StorageException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Ends an export before it fills a disk that other files need as well. Used by one thread. */
final class DiskSpace {
    /** Space that an export leaves. */
    private static final long RESERVE_BYTES = 64 << 20;

    private static final long CHECK_NANOS = 100_000_000;
    private static final int MIB = 1 << 20;

    private final Path directory;
    private final FileStore disk;
    private long checkedAt = System.nanoTime();

    /** The disk of an existing directory. */
    DiskSpace(Path directory) throws IOException {
        this.directory = directory;
        this.disk = Files.getFileStore(directory);
    }

    /**
     * Checks that some bytes can be written.
     *
     * @throws StorageException kind NO_SPACE
     */
    void require(long bytes) throws IOException {
        long free = disk.getUsableSpace();
        if (free < RESERVE_BYTES + bytes) {
            throw new StorageException(
                    StorageException.Kind.NO_SPACE,
                    "%s has %d MiB of free space, and %d MiB may be needed"
                            .formatted(directory, free / MIB, (RESERVE_BYTES + bytes) / MIB + 1));
        }
    }

    /**
     * Checks ten times a second that the disk is not full.
     *
     * @throws StorageException kind NO_SPACE, or UNAVAILABLE if the system does not say
     */
    void check() {
        long now = System.nanoTime();
        if (now - checkedAt >= CHECK_NANOS) {
            checkedAt = now;
            try {
                require(0);
            } catch (IOException unknown) {
                throw new StorageException(
                        StorageException.Kind.UNAVAILABLE,
                        "%s: cannot find out the free space".formatted(directory),
                        unknown);
            }
        }
    }
}
