package io.brain.admin.check;

import java.util.Arrays;

/**
 * Compares the number of stored versions and logged events, by groups of revisions, in a fixed
 * amount of memory.
 */
final class RevisionCounts {
    private static final int GROUPS = 1 << 16;

    private final long first;
    private final long width;

    /** Stored versions less logged ones. */
    private final long[] differences = new long[GROUPS];

    /** Counts revisions from {@code first} to {@code last}. */
    RevisionCounts(long first, long last) {
        this.first = first;
        this.width = Math.max(0, last - first) / GROUPS + 1;
    }

    /** Counts a stored version. */
    void stored(long revision) {
        add(revision, 1);
    }

    /** Counts a logged event whose version is stored. */
    void logged(long revision) {
        add(revision, -1);
    }

    /** True if the revision's group has as many versions as events. */
    boolean agree(long revision) {
        return revision < first || differences[group(revision)] == 0;
    }

    /** True if all groups have as many versions as events. */
    boolean agree() {
        return Arrays.stream(differences).allMatch(difference -> difference == 0);
    }

    private void add(long revision, int change) {
        if (revision >= first) {
            differences[group(revision)] += change;
        }
    }

    private int group(long revision) {
        return (int) Math.min((revision - first) / width, GROUPS - 1);
    }
}
