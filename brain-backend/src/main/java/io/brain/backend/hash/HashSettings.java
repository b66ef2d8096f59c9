package io.brain.backend.hash;

import java.nio.file.Path;

/**
 * Bounds of hashing.
 *
 * @param changesMax changes that are held in memory at once, about 50 bytes each; the rest goes to
 *     the file
 * @param file written if it is needed, 20 bytes for each change, and deleted afterwards; whatever
 *     is there before is lost
 */
public record HashSettings(int changesMax, Path file) {
    private static final int CHANGES_MAX = 1 << 18;

    /** Checks that something may be held. */
    public HashSettings {
        if (changesMax < 1) {
            throw new IllegalArgumentException("hashing may not hold anything");
        }
    }

    /** The usual bounds. */
    public static HashSettings withFile(Path file) {
        return new HashSettings(CHANGES_MAX, file);
    }
}
