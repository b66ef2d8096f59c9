package io.brain.server.config;

import java.util.List;

/**
 * What was given for a flag, and where.
 *
 * @param texts one or more; of a flag that is not to be repeated the last one counts
 * @param origin kind of the place
 * @param where the place, as an operator would look for it
 */
record Given(List<String> texts, Origin origin, String where) {
    /** Where a value can come from; also what comes first, if there are several. */
    enum Origin {
        FLAG,
        ENVIRONMENT,
        FILE
    }

    Given {
        texts = List.copyOf(texts);
    }

    static Given flag(Flag flag, List<String> texts) {
        return new Given(texts, Origin.FLAG, "flag -" + flag.name());
    }

    static Given variable(Flag flag, List<String> texts) {
        return new Given(texts, Origin.ENVIRONMENT, "environment variable " + flag.variable());
    }

    String last() {
        return texts.get(texts.size() - 1);
    }
}
