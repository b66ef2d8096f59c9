package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import io.brain.server.config.Flag.Kind;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@code --config-print} prints: every setting that has an effect, and where its value comes
 * from, as a file that {@code --config-file} takes.
 */
final class ConfigText {
    private final FlagValues values;
    private final StringBuilder text = new StringBuilder();

    private ConfigText(FlagValues values) {
        this.values = values;
    }

    static String of(FlagValues values) {
        ConfigText config = new ConfigText(values);
        Map<String, String> top = new LinkedHashMap<>(FileKeys.TOP);
        config.keys("", top);
        FileKeys.SECTIONS.forEach(config::section);
        return config.text.toString();
    }

    private void section(String name, Map<String, String> flags) {
        int before = text.length();
        text.append(name).append(":\n");
        int title = text.length();
        keys("  ", flags);
        if (text.length() == title) {
            text.setLength(before);
        }
    }

    private void keys(String indent, Map<String, String> flags) {
        flags.forEach(
                (key, name) -> {
                    Flag flag = Flags.find(name);
                    boolean used = flag.effect() == Effect.ETCD || flag.effect() == Effect.BRAIN;
                    if (used || values.isSet(name)) {
                        line(indent + key, flag, used);
                    }
                });
    }

    private void line(String key, Flag flag, boolean used) {
        text.append(key).append(": ").append(value(flag)).append("  # ").append(origin(flag));
        text.append(used ? "\n" : ", without effect\n");
    }

    private String value(Flag flag) {
        if (flag.kind() == Kind.PAIRS) {
            StringBuilder pairs = new StringBuilder("{");
            values.pairs(flag.name())
                    .forEach(
                            (key, value) -> {
                                pairs.append(pairs.length() == 1 ? "" : ", ");
                                pairs.append(quoted(key)).append(": ").append(quoted(value));
                            });
            return pairs.append('}').toString();
        }
        boolean dataDir = flag.name().equals("data-dir") && values.text("data-dir").isEmpty();
        String value = dataDir ? CommandLineReader.dataDir(values) : values.text(flag.name());
        boolean bare = value.matches("[A-Za-z0-9.]+") && flag.kind() != Kind.TEXT;
        return bare ? value : quoted(value);
    }

    private String origin(Flag flag) {
        Given given = values.given().get(flag.name());
        if (given == null) {
            return "default";
        }
        return switch (given.origin()) {
            case FLAG -> "flag " + flag.option();
            case ENVIRONMENT -> given.where();
            case FILE -> "file " + given.where().replaceFirst("^\\S+ in ", "");
        };
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
