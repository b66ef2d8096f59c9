package io.brain.server.config;

import io.brain.options.Option.Kind;
import io.brain.options.SpellingHint;
import io.brain.server.config.Flag.Source;
import io.brain.server.config.Flag.Source.Origin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

/**
 * Reads etcd's configuration file, in YAML (or JSON, which YAML includes). Rejects unknown keys;
 * values are validated later, like flags.
 */
final class ConfigFile {
    private static final int CODE_POINTS_MAX = 1 << 20;

    private final String path;
    private final Map<String, Source> given = new LinkedHashMap<>();
    private final List<String> former = new ArrayList<>();

    private ConfigFile(String path) {
        this.path = path;
    }

    /**
     * Reads a file.
     *
     * @throws ConfigException if it cannot be read, is not YAML or has unknown keys
     */
    static ConfigFile read(String path) {
        ConfigFile file = new ConfigFile(path);
        Object root = file.load();
        if (root instanceof Map<?, ?> keys) {
            keys.forEach((key, value) -> file.top(lowerCase(key), value));
        } else if (!isUnset(root)) {
            throw file.wrong("expected keys with values");
        }
        return file;
    }

    /** The values by the flag's name. */
    Map<String, Source> given() {
        return given;
    }

    /** Obsolete keys of etcd in the file, without effect there and here. */
    List<String> former() {
        return former;
    }

    private Object load() {
        LoadSettings settings =
                LoadSettings.builder()
                        .setSchema(new TextSchema())
                        .setCodePointLimit(CODE_POINTS_MAX)
                        .build();
        try {
            return new Load(settings)
                    .loadFromString(Files.readString(Path.of(path), StandardCharsets.UTF_8));
        } catch (InvalidPathException malformed) {
            throw ConfigException.path(Flags.CONFIG_FILE.name(), malformed);
        } catch (NoSuchFileException missing) {
            throw wrong("no such file");
        } catch (IOException unreadable) {
            throw wrong("cannot be read: " + unreadable);
        } catch (MarkedYamlEngineException malformed) {
            throw wrong(
                    "not YAML: "
                            + malformed.getProblem()
                            + malformed
                                    .getProblemMark()
                                    .map(mark -> " in line " + (mark.getLine() + 1))
                                    .orElse(""));
        } catch (YamlEngineException malformed) {
            throw wrong("not YAML: " + malformed.getMessage());
        }
    }

    /** As in etcd, upper and lower case of keys are equal. */
    private static String lowerCase(Object key) {
        return key.toString().toLowerCase(Locale.ROOT);
    }

    private void top(String key, Object value) {
        Map<String, Flag> section = FileKeys.SECTIONS.get(key);
        if (section != null) {
            section(key, section, value);
        } else if (FileKeys.TOP.containsKey(key)) {
            put(key, FileKeys.TOP.get(key), value);
        } else if (key.equals("discovery-config")) {
            if (value instanceof Map<?, ?> keys && !keys.isEmpty()) {
                throw wrong("discovery-config is not supported by this version");
            }
        } else if (FileKeys.isFormer(key)) {
            former.add(key);
        } else {
            throw unknown(key);
        }
    }

    private ConfigException unknown(String key) {
        boolean inSection = FileKeys.SECTIONS.values().stream().anyMatch(s -> s.containsKey(key));
        if (inSection || !FileKeys.pathOf(key).equals(key)) {
            return wrong("unknown key " + key + ": it must be under " + FileKeys.pathOf(key) + ":");
        }
        Map<String, Object> known = new LinkedHashMap<>(FileKeys.TOP);
        known.putAll(FileKeys.SECTIONS);
        return wrong("unknown key " + key + SpellingHint.hint(key, known.keySet(), ""));
    }

    private void section(String name, Map<String, Flag> flags, Object value) {
        if (isUnset(value)) {
            return;
        }
        if (!(value instanceof Map<?, ?> keys)) {
            throw wrong(name + ": expected keys with values");
        }
        keys.forEach(
                (object, inner) -> {
                    String key = lowerCase(object);
                    Flag flag = flags.get(key);
                    if (flag == null) {
                        String hint = SpellingHint.hint(key, flags.keySet(), "");
                        throw wrong("unknown key " + name + "." + key + hint);
                    }
                    put(name + "." + key, flag, inner);
                });
    }

    private void put(String key, Flag flag, Object value) {
        if (isUnset(value)) {
            return;
        }
        boolean many = flag.option().kind() == Kind.PAIRS;
        List<String> texts = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(one -> texts.add(scalar(key, flag, one)));
        } else if (many && value instanceof Map<?, ?> pairs) {
            pairs.forEach((k, v) -> texts.add(k + "=" + scalar(key, flag, v)));
        } else {
            texts.add(scalar(key, flag, value));
        }
        given.put(
                flag.name(),
                new Source(
                        many ? texts : List.of(String.join(",", texts)),
                        Origin.FILE,
                        key + " in " + path));
    }

    /** Converts to the form of the command line; bare durations are nanoseconds. */
    private String scalar(String key, Flag flag, Object value) {
        if (!(value instanceof String text)) {
            throw wrong(key + ": expected a value");
        }
        return switch (flag.option().kind()) {
            case DURATION -> text.matches("[+-]?\\d+") ? text + "ns" : text;
            case BOOLEAN ->
                    switch (text.toLowerCase(Locale.ROOT)) {
                        case "yes", "on" -> "true";
                        case "no", "off" -> "false";
                        default -> text;
                    };
            default -> text;
        };
    }

    private static boolean isUnset(Object value) {
        return value == null
                || value.equals("")
                || value.equals("~")
                || value.equals("null")
                || (value instanceof List<?> list && list.isEmpty())
                || (value instanceof Map<?, ?> pairs && pairs.isEmpty());
    }

    private ConfigException wrong(String why) {
        return ConfigException.value(Flags.CONFIG_FILE.flag() + " " + path + ": " + why);
    }

    /** Reads every value as a text or null. */
    private static final class TextSchema extends FailsafeSchema {
        @Override
        public Map<Tag, ConstructNode> getSchemaTagConstructors() {
            Map<Tag, ConstructNode> all = new HashMap<>(super.getSchemaTagConstructors());
            all.put(Tag.NULL, missing -> null);
            return all;
        }
    }
}
