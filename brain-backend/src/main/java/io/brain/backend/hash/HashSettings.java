package io.brain.backend.hash;

import java.nio.file.Path;

/**
 * Limits of hashing.
 *
 * @param changesMax changes in memory, about 50 bytes each; more are written to the file
 * @param file temporary file, 20 bytes per change; overwritten and deleted
 */
public record HashSettings(int changesMax, Path file) {
    private static final int CHANGES_MAX = 1 << 18;

    /** Checks the limit. */
    public HashSettings {
        if (changesMax < 1) {
            throw new IllegalArgumentException("hash limits must be positive");
        }
    }

    /** The usual limits. */
    public static HashSettings withFile(Path file) {
        return new HashSettings(CHANGES_MAX, file);
    }
}
