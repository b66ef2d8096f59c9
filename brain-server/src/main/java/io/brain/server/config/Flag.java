package io.brain.server.config;

import io.brain.options.Option;
import java.util.Locale;

/**
 * An option as a flag of the command line.
 *
 * @param option name, type, default and help
 * @param effect how Brain treats it
 */
record Flag(Option<?> option, Effect effect) {
    /** How Brain treats a flag; the order is that of the help. */
    enum Effect {
        /** etcd's flag, with etcd's meaning. */
        ETCD,
        /** Brain's own. */
        BRAIN,
        /** etcd's flag without effect here: accepted, and logged. */
        NONE,
        /** etcd's flag that must not be ignored: only the default is accepted. */
        REFUSED
    }

    String name() {
        return option.name();
    }

    /** The environment variable of the flag. */
    String variable() {
        String prefix = effect == Effect.BRAIN ? "BRAIN_" : "ETCD_";
        String words = name().replaceFirst("^brain-", "");
        return prefix + words.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    boolean hasEffect() {
        return effect == Effect.ETCD || effect == Effect.BRAIN;
    }
}
