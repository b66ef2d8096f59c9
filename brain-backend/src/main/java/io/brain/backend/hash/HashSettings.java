package io.brain.backend.hash;

import java.nio.file.Path;

/**
 * Limits of hashing.
 *
 * @param bytesMax bytes of changes in memory, about 75 each; more are written to the file
 * @param file temporary file, 25 bytes per change; overwritten and deleted
 */
public record HashSettings(long bytesMax, Path file) {
    private static final long BYTES_MAX = 16 << 20;

    /** Checks the limit. */
    public HashSettings {
        if (bytesMax < 1) {
            throw new IllegalArgumentException("hash limits must be positive");
        }
    }

    /** The usual limits. */
    public static HashSettings withFile(Path file) {
        return new HashSettings(BYTES_MAX, file);
    }
}
