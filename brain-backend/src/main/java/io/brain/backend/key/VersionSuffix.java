package io.brain.backend.key;

/**
 * The last eight bytes of a version's key, as a big-endian number: {@code ~(2 * revision + t)},
 * with t = 1 for a tombstone. Newer revisions sort first.
 */
public final class VersionSuffix {
    private VersionSuffix() {}

    /** Of a revision up to {@code Long.MAX_VALUE / 2}. */
    static long of(long revision, boolean tombstone) {
        assert revision >= 0 && revision <= Long.MAX_VALUE >> 1 : "revision " + revision;
        return ~(revision << 1 | (tombstone ? 1 : 0));
    }

    /** The revision. */
    public static long revision(long suffix) {
        return ~suffix >>> 1;
    }

    /** True if the version is a tombstone. */
    public static boolean isTombstone(long suffix) {
        return (suffix & 1) == 0;
    }
}
