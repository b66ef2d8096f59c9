package io.brain.server.config;

import java.util.Locale;

/**
 * One flag of the command line.
 *
 * @param name without dashes
 * @param kind what its value looks like
 * @param effect what Brain does with it
 * @param fallback the value if it is not set, as text
 * @param help one line
 */
record Flag(String name, Kind kind, Effect effect, String fallback, String help) {
    /** The form of a value. */
    enum Kind {
        TEXT,
        NUMBER,
        /** A number of bytes, or one with KiB, MiB, GiB or TiB. */
        SIZE,
        BOOLEAN,
        DURATION,
        URLS,
        /** Repeatable {@code key=value}. */
        PAIRS
    }

    /** What becomes of a flag. */
    enum Effect {
        /** One of etcd's that works here too. */
        ETCD,
        /** Brain's own. */
        BRAIN,
        /** One of etcd's that has nothing to act on here: accepted, and said so. */
        NONE,
        /** One of etcd's that must not be ignored: any value but the default stops the start. */
        REFUSED
    }

    /** The environment variable that stands for the flag. */
    String variable() {
        String prefix = effect == Effect.BRAIN ? "BRAIN_" : "ETCD_";
        return prefix + name.replaceFirst("^brain-", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The flag as it is typed. */
    String option() {
        return "--" + name;
    }
}
