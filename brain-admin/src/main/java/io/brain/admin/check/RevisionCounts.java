package io.brain.admin.check;

/**
 * Versions and logged changes, counted by revision in a fixed number of groups: where the two
 * differ, a version is unknown to the log, or the other way round.
 */
final class RevisionCounts {
    private static final int GROUPS = 1 << 16;

    private final long first;
    private final long width;
    private final long[] difference = new long[GROUPS];

    /** Counts revisions from {@code first} to {@code last}. */
    RevisionCounts(long first, long last) {
        this.first = first;
        this.width = Math.max(0, last - first) / GROUPS + 1;
    }

    /** A stored version. */
    void stored(long revision) {
        add(revision, 1);
    }

    /** A logged change whose version is there. */
    void logged(long revision) {
        add(revision, -1);
    }

    /** True if every version in the revision's group is known to the log. */
    boolean agree(long revision) {
        return revision < first || difference[group(revision)] == 0;
    }

    /** True if that is so in all groups. */
    boolean agree() {
        for (long each : difference) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    private void add(long revision, int by) {
        if (revision >= first) {
            difference[group(revision)] += by;
        }
    }

    private int group(long revision) {
        return (int) Math.min((revision - first) / width, GROUPS - 1);
    }
}
