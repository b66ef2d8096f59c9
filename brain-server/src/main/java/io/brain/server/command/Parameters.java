package io.brain.server.command;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/** Parameters and options of commands, whose messages name them as the server's flags. */
final class Parameters {
    private Parameters() {}

    /** An optional text by position, from 0. */
    static PositionalParamSpec position(int index) {
        return PositionalParamSpec.builder()
                .index(Integer.toString(index))
                .arity("0..1")
                .type(String.class)
                .build();
    }

    /** An option with a value; null if it is not given. */
    static OptionSpec.Builder option(String name, Class<?> type) {
        return OptionSpec.builder(name).paramLabel(name.substring(1)).arity("1").type(type);
    }

    /** An option with a text that can be repeated. */
    static OptionSpec texts(String name) {
        return option(name, List.class).auxiliaryTypes(String.class).build();
    }

    /** An option without a value; null if it is not given. */
    static OptionSpec flag(String name) {
        return OptionSpec.builder(name).type(boolean.class).build();
    }

    /** --rev: a positive number. */
    static OptionSpec revision() {
        return option("--rev", Long.class).converters(Parameters::revision).build();
    }

    private static long revision(String text) {
        try {
            long revision = Long.parseLong(text);
            if (revision > 0) {
                return revision;
            }
        } catch (NumberFormatException malformed) {
            // The same message.
        }
        throw new TypeConversionException("not a revision: " + text);
    }

    /** A converter for times such as 12h or 7d; 0 is one, too. */
    static Duration time(String text) {
        if (text.matches("0|[1-9][0-9]{0,4}[smhd]")) {
            String iso = text.toUpperCase(Locale.ROOT);
            return text.equals("0")
                    ? Duration.ZERO
                    : Duration.parse(text.endsWith("d") ? "P" + iso : "PT" + iso);
        }
        throw new TypeConversionException("not a time such as 12h or 7d: " + text);
    }

    /** The directory that an option names, or Java's for temporary files. */
    static Path directory(OptionSpec option) {
        Path directory = option.getValue();
        return directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
    }

    /** The value of a numeric option; 0 if it is not given. */
    static long number(OptionSpec option) {
        Long value = option.getValue();
        return value == null ? 0 : value;
    }
}
