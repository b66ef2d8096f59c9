package io.brain.backend;

import io.brain.backend.compact.AutoCompactSettings;
import io.brain.backend.hash.HashSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a node does besides serving.
 *
 * @param hash bounds of making hashes
 * @param autoCompact what history is kept without anybody asking for a compaction
 */
public record UpkeepSettings(HashSettings hash, AutoCompactSettings autoCompact) {
    /** Hashes are sorted in the directory for temporary files, nothing is compacted by itself. */
    public static final UpkeepSettings DEFAULTS =
            new UpkeepSettings(
                    HashSettings.withFile(
                            Path.of(System.getProperty("java.io.tmpdir"), "brain-hash")),
                    AutoCompactSettings.OFF);

    /** The same with other bounds of making hashes. */
    public UpkeepSettings withHash(HashSettings other) {
        return new UpkeepSettings(other, autoCompact);
    }

    /**
     * The same with history compacted by itself.
     *
     * @param period time that stays readable; zero if it does not matter
     * @param revisions newest revisions that stay readable; 0 if it does not matter; not both
     */
    public UpkeepSettings withRetention(Duration period, long revisions) {
        if (!period.isZero()) {
            return new UpkeepSettings(hash, AutoCompactSettings.periodic(period));
        }
        return new UpkeepSettings(
                hash,
                revisions == 0
                        ? AutoCompactSettings.OFF
                        : AutoCompactSettings.revisions(revisions));
    }
}
