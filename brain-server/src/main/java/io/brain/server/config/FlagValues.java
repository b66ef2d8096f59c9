package io.brain.server.config;

import io.brain.options.Option;
import io.brain.options.Option.Kind;
import io.brain.server.config.Flag.Source;
import io.brain.server.config.Flag.Source.Origin;
import java.nio.file.InvalidPathException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The values from the command line, the environment or a file.
 *
 * @param given by the flag's name
 * @param file source of all but Brain's own flags; null if there is no file
 * @param former obsolete keys in the file
 * @param notes log lines for the operator: what was ignored
 * @param help non-null if the help (true) or the version (false) was requested instead
 */
record FlagValues(
        Map<String, Source> given,
        String file,
        List<String> former,
        List<String> notes,
        Boolean help) {
    static FlagValues asking(boolean help) {
        return new FlagValues(Map.of(), null, List.of(), List.of(), help);
    }

    boolean isSet(Option<?> option) {
        return given.containsKey(option.name());
    }

    /** Checks the form of a set value, used or not, as etcd does. */
    void checkForm(Option<?> option) {
        if (option.kind() == Kind.PAIRS) {
            pairs(option);
        } else {
            read(option, option.form(), text(option));
        }
    }

    /** The text that was set last, or the default. */
    String text(Option<?> option) {
        return isSet(option) ? given.get(option.name()).last() : option.fallback();
    }

    /** All texts of a repeatable option. */
    List<String> texts(Option<?> option) {
        return isSet(option) ? given.get(option.name()).texts() : List.of();
    }

    /**
     * The value that was set last, or the default.
     *
     * @throws ConfigException if it is malformed or out of range
     */
    <T> T get(Option<T> option) {
        return read(option, option.reader(), text(option));
    }

    Map<String, String> pairs(Option<?> option) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String text : texts(option)) {
            Map.Entry<String, String> pair = read(option, Option::parsePair, text);
            pairs.put(pair.getKey(), pair.getValue());
        }
        return pairs;
    }

    <T> T read(Option<?> option, Function<String, T> reader, String text) {
        try {
            return reader.apply(text);
        } catch (InvalidPathException malformed) {
            throw ConfigException.path(option.name(), malformed);
        } catch (IllegalArgumentException malformed) {
            throw wrong(option, text, malformed.getMessage());
        }
    }

    /** An error on the command line is a usage error. */
    private ConfigException wrong(Option<?> option, String text, String why) {
        Source source = given.get(option.name());
        String where = source == null ? "flag -" + option.name() : source.where();
        String wrong = "invalid value \"" + text + "\" for " + where + ": " + why;
        if (source != null && source.origin() != Origin.FLAG) {
            return ConfigException.value(wrong);
        }
        return ConfigException.usage(
                option.kind() == Kind.BOOLEAN
                        ? "invalid boolean value \""
                                + text
                                + "\" for -"
                                + option.name()
                                + ": "
                                + why
                        : wrong);
    }
}
