package io.brain.conformance.linear.load;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Arguments of the form {@code --name value}. */
public final class Options {

    private final Map<String, String> values = new HashMap<>();

    public Options(List<String> args) {
        if (args.size() % 2 != 0) {
            throw new IllegalArgumentException("arguments are --name value: " + args);
        }
        for (int i = 0; i < args.size(); i += 2) {
            values.put(args.get(i), args.get(i + 1));
        }
    }

    /** The value, or what stands for it. */
    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** The value, a whole number, or what stands for it. */
    public long number(String name, long otherwise) {
        return values.containsKey(name) ? Long.parseLong(values.get(name)) : otherwise;
    }
}
