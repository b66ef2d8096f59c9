package io.brain.options;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values given for the options of one storage engine. */
public final class StorageOptions {
    private final Map<String, String> given;

    /**
     * Creates the values.
     *
     * @param known all options of the engine
     * @param given texts by name
     * @throws IllegalArgumentException if a name is unknown
     */
    public StorageOptions(List<Option<?>> known, Map<String, String> given) {
        List<String> names = known.stream().<String>map(Option::name).toList();
        for (String name : given.keySet()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException(
                        "unknown storage option " + name + "; known are " + names);
            }
        }
        this.given = Map.copyOf(given);
    }

    /** A line of help for each option, in the given order. */
    public static Map<String, String> help(List<Option<?>> options) {
        Map<String, String> help = new LinkedHashMap<>();
        for (Option<?> option : options) {
            String fallback = option.fallback();
            String shown = fallback.isEmpty() ? "" : " (default " + fallback + ")";
            help.put(option.name(), option.help() + shown);
        }
        return help;
    }

    /** The text of an option as it was given, or its default. */
    public String text(Option<?> option) {
        return given.getOrDefault(option.name(), option.fallback());
    }

    /**
     * The value of an option; space around its text is ignored.
     *
     * @throws IllegalArgumentException if it is malformed or out of range
     */
    public <T> T get(Option<T> option) {
        String text = text(option).trim();
        try {
            return option.reader().apply(text);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "storage option " + option.name() + ' ' + wrong.getMessage() + ", not " + text,
                    wrong);
        }
    }
}
