package io.brain.conformance.cluster;

import java.util.Locale;

/**
 * How much a suite does: the short form runs with every change, the long form on demand, by {@code
 * -Dpeer.form=long}.
 */
public enum Form {
    SHORT,
    LONG;

    public static Form current() {
        return valueOf(System.getProperty("peer.form", "short").toUpperCase(Locale.ROOT));
    }

    /** The one of two sizes that belongs to the current form. */
    public static int size(int inShort, int inLong) {
        return current() == LONG ? inLong : inShort;
    }
}
