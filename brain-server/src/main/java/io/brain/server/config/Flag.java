package io.brain.server.config;

import io.brain.options.Option;
import java.util.List;
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

    /**
     * The values of a flag, and their source.
     *
     * @param texts one or more; the last one counts, unless the flag is repeatable
     * @param origin kind of source
     * @param where name of the source in messages
     */
    record Source(List<String> texts, Origin origin, String where) {
        /** Kind of source, by precedence. */
        enum Origin {
            FLAG,
            ENVIRONMENT,
            FILE
        }

        Source {
            texts = List.copyOf(texts);
        }

        static Source flag(Flag flag, List<String> texts) {
            return new Source(texts, Origin.FLAG, "flag -" + flag.name());
        }

        static Source variable(Flag flag, List<String> texts) {
            return new Source(texts, Origin.ENVIRONMENT, "environment variable " + flag.variable());
        }

        String last() {
            return texts.get(texts.size() - 1);
        }
    }
}
