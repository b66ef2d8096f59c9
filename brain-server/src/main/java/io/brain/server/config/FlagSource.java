package io.brain.server.config;

import java.util.List;

/**
 * The values of a flag, and their source.
 *
 * @param texts one or more; the last one counts, unless the flag is repeatable
 * @param origin kind of source
 * @param where name of the source in messages
 */
record FlagSource(List<String> texts, Origin origin, String where) {
    /** Kind of source, by precedence. */
    enum Origin {
        FLAG,
        ENVIRONMENT,
        FILE
    }

    FlagSource {
        texts = List.copyOf(texts);
    }

    static FlagSource flag(Flag flag, List<String> texts) {
        return new FlagSource(texts, Origin.FLAG, "flag -" + flag.name());
    }

    static FlagSource variable(Flag flag, List<String> texts) {
        return new FlagSource(texts, Origin.ENVIRONMENT, "environment variable " + flag.variable());
    }

    String last() {
        return texts.get(texts.size() - 1);
    }
}
