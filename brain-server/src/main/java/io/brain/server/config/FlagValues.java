package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What was given on the command line, in the environment or in a file.
 *
 * @param given by the flag's name
 * @param file where it comes from, but for Brain's own flags; null if there is no such file
 * @param former keys in the file that mean nothing any more
 * @param notes for the operator: what was not taken into account
 * @param help non-null if the help (true) or the version (false) was asked for instead
 */
record FlagValues(
        Map<String, Given> given,
        String file,
        List<String> former,
        List<String> notes,
        Boolean help) {
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
    private static final Set<String> FALSE = Set.of("0", "f", "F", "false", "FALSE", "False");

    static FlagValues asking(boolean help) {
        return new FlagValues(Map.of(), null, List.of(), List.of(), help);
    }

    boolean isSet(String name) {
        return given.containsKey(name);
    }

    /** Checks the form of every value that was given, used or not, as etcd does. */
    void checkForms() {
        for (Flag flag : Flags.ALL) {
            if (!isSet(flag.name())) {
                continue;
            }
            switch (flag.kind()) {
                case NUMBER, SIZE -> signed(flag.name());
                case BOOLEAN -> bool(flag.name());
                case DURATION -> duration(flag.name());
                case URLS -> urls(flag.name());
                case PAIRS -> pairs(flag.name());
                case TEXT -> text(flag.name());
            }
        }
    }

    /** Checks all values as far as one alone can be. */
    void check() {
        checkForms();
        for (Flag flag : Flags.ALL) {
            boolean refused = flag.effect() == Effect.REFUSED && isSet(flag.name());
            if (refused && !text(flag.name()).equals(flag.fallback())) {
                throw ConfigException.value(flag.option() + " is not supported by this version");
            }
        }
    }

    /** Names of given flags that have nothing to act on. */
    List<String> withoutEffect() {
        Stream<String> flags =
                Flags.ALL.stream()
                        .filter(flag -> flag.effect() == Effect.NONE && isSet(flag.name()))
                        .map(Flag::option);
        return Stream.concat(flags, former.stream()).toList();
    }

    String text(String name) {
        Given value = given.get(name);
        return value == null ? Flags.find(name).fallback() : value.last();
    }

    /** Every value of a flag that may be repeated. */
    List<String> texts(String name) {
        return isSet(name) ? given.get(name).texts() : List.of();
    }

    /** Not negative; no longer than 64 bits. */
    long number(String name) {
        long number = signed(name);
        if (number < 0) {
            throw invalid(name, "must not be negative");
        }
        return number;
    }

    /** As in etcd, a negative number is no limit: 0. */
    long limit(String name) {
        return Math.max(0, signed(name));
    }

    /** Of any sign. */
    long signed(String name) {
        if (Flags.find(name).kind() == Flag.Kind.SIZE) {
            try {
                return ByteSize.parse(text(name));
            } catch (IllegalArgumentException malformed) {
                throw invalid(name, malformed.getMessage());
            }
        }
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException notANumber) {
            throw invalid(name, "parse error");
        }
    }

    /** Not negative; within an int's range. */
    int size(String name, int most) {
        long number = number(name);
        if (number > most) {
            throw invalid(name, "must not be above " + most);
        }
        return (int) number;
    }

    boolean bool(String name) {
        String text = text(name);
        Boolean value = parseBool(text);
        if (value == null) {
            throw isTyped(name)
                    ? ConfigException.usage(
                            "invalid boolean value \"" + text + "\" for -" + name + ": parse error")
                    : invalid(name, "parse error");
        }
        return value;
    }

    /** As Go reads it; null if it is no boolean. */
    static Boolean parseBool(String text) {
        return TRUE.contains(text) ? Boolean.TRUE : FALSE.contains(text) ? Boolean.FALSE : null;
    }

    Duration duration(String name) {
        try {
            return GoDuration.parse(text(name));
        } catch (IllegalArgumentException malformed) {
            throw invalid(name, "parse error");
        }
    }

    List<URI> urls(String name) {
        try {
            return ListenUrl.parse(text(name));
        } catch (IllegalArgumentException malformed) {
            throw invalid(name, malformed.getMessage());
        }
    }

    Map<String, String> pairs(String name) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : texts(name)) {
            int split = pair.indexOf('=');
            if (split < 1) {
                throw wrong(name, pair, "want key=value");
            }
            pairs.put(pair.substring(0, split), pair.substring(split + 1));
        }
        return pairs;
    }

    /** Not repeated: texts with commas between them; none for an empty text. */
    List<String> list(String name) {
        String text = text(name);
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    private ConfigException invalid(String name, String why) {
        return wrong(name, text(name), why);
    }

    /** On the command line it is wrong usage. */
    ConfigException wrong(String name, String text, String why) {
        String where = isSet(name) ? given.get(name).where() : "flag -" + name;
        String message = "invalid value \"" + text + "\" for " + where + ": " + why;
        return isTyped(name) ? ConfigException.usage(message) : ConfigException.value(message);
    }

    private boolean isTyped(String name) {
        return !isSet(name) || given.get(name).origin() == Given.Origin.FLAG;
    }
}
