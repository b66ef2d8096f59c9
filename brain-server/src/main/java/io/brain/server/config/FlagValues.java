package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was given on the command line and in the environment.
 *
 * @param given texts by the flag's name
 * @param shadowed variables that a flag on the command line overrules
 * @param unrecognized variables that look meant for this program but name no flag
 * @param help non-null if the help (true) or the version (false) was asked for instead
 */
record FlagValues(
        Map<String, List<String>> given,
        List<String> shadowed,
        List<String> unrecognized,
        Boolean help) {
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
    private static final Set<String> FALSE = Set.of("0", "f", "F", "false", "FALSE", "False");

    static FlagValues asking(boolean help) {
        return new FlagValues(Map.of(), List.of(), List.of(), help);
    }

    boolean isSet(String name) {
        return given.containsKey(name);
    }

    /** Checks the form of every value that was given, used or not, as etcd does. */
    void check() {
        for (Flag flag : Flags.ALL) {
            if (!isSet(flag.name())) {
                continue;
            }
            switch (flag.kind()) {
                case NUMBER -> signed(flag.name());
                case BOOLEAN -> bool(flag.name());
                case DURATION -> duration(flag.name());
                case URLS -> urls(flag.name());
                case PAIRS -> pairs(flag.name());
                case TEXT -> text(flag.name());
            }
            if (flag.effect() == Effect.REFUSED && !text(flag.name()).equals(flag.fallback())) {
                throw ConfigException.value(flag.option() + " is not supported by this version");
            }
        }
    }

    /** Names of given flags that have nothing to act on. */
    List<String> withoutEffect() {
        return Flags.ALL.stream()
                .filter(flag -> flag.effect() == Effect.NONE && isSet(flag.name()))
                .map(Flag::option)
                .toList();
    }

    String text(String name) {
        List<String> values = given.get(name);
        return values == null ? flag(name).fallback() : values.get(values.size() - 1);
    }

    /** Every value of a flag that may be repeated. */
    List<String> texts(String name) {
        return given.getOrDefault(name, List.of());
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

    private long signed(String name) {
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
            throw ConfigException.usage(
                    "invalid boolean value \"" + text + "\" for -" + name + ": parse error");
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
        for (String pair : given.getOrDefault(name, List.of())) {
            int split = pair.indexOf('=');
            if (split < 1) {
                throw ConfigException.usage(
                        "invalid value \"" + pair + "\" for flag -" + name + ": want key=value");
            }
            pairs.put(pair.substring(0, split), pair.substring(split + 1));
        }
        return pairs;
    }

    private ConfigException invalid(String name, String why) {
        return ConfigException.usage(
                "invalid value \"" + text(name) + "\" for flag -" + name + ": " + why);
    }

    private static Flag flag(String name) {
        return Flags.ALL.stream()
                .filter(flag -> flag.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no flag " + name));
    }
}
