package io.brain.server.config;

import io.brain.options.Option;
import io.brain.options.Option.Kind;
import java.util.Map;

/**
 * The output of {@code --config-print}: every setting with an effect, and its source, as a valid
 * configuration file.
 */
final class ConfigText {
    private final FlagValues values;
    private final StringBuilder text = new StringBuilder();

    private ConfigText(FlagValues values) {
        this.values = values;
    }

    static String of(FlagValues values) {
        ConfigText config = new ConfigText(values);
        config.keys("", FileKeys.TOP);
        FileKeys.SECTIONS.forEach(config::section);
        return config.text.toString();
    }

    private void section(String name, Map<String, Flag> flags) {
        int before = text.length();
        text.append(name).append(":\n");
        int title = text.length();
        keys("  ", flags);
        if (text.length() == title) {
            text.setLength(before);
        }
    }

    private void keys(String indent, Map<String, Flag> flags) {
        flags.forEach(
                (key, flag) -> {
                    if (flag.hasEffect() || values.isSet(flag.option())) {
                        line(indent + key, flag);
                    }
                });
    }

    private void line(String key, Flag flag) {
        text.append(key)
                .append(": ")
                .append(value(flag.option()))
                .append("  # ")
                .append(origin(flag));
        text.append(flag.hasEffect() ? "\n" : ", without effect\n");
    }

    private String value(Option<?> option) {
        if (option.kind() == Kind.PAIRS) {
            StringBuilder pairs = new StringBuilder("{");
            values.pairs(option)
                    .forEach(
                            (key, value) -> {
                                pairs.append(pairs.length() == 1 ? "" : ", ");
                                pairs.append(quoted(key)).append(": ").append(quoted(value));
                            });
            return pairs.append('}').toString();
        }
        boolean dataDir = option.equals(MemberFlags.DATA_DIR);
        String value = dataDir ? MemberFlags.dataDirName(values) : values.text(option);
        boolean bare = value.matches("[A-Za-z0-9.]+") && option.kind() != Kind.TEXT;
        return bare ? value : quoted(value);
    }

    private String origin(Flag flag) {
        Flag.Source given = values.given().get(flag.name());
        if (given == null) {
            return "default";
        }
        return switch (given.origin()) {
            case FLAG -> "flag " + flag.option().flag();
            case ENVIRONMENT -> given.where();
            case FILE -> "file " + given.where().replaceFirst("^\\S+ in ", "");
        };
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
