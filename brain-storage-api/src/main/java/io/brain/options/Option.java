package io.brain.options;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * An option with a typed value. Readers throw {@link IllegalArgumentException} for a malformed
 * text; the message completes "invalid value: ...".
 *
 * @param <T> type of the value
 * @param name without dashes
 * @param kind form of the text
 * @param fallback default value, as text
 * @param help one line
 * @param form checks the form of a text, whether the value is used or not
 * @param reader converts a text to a valid value
 */
public record Option<T>(
        String name,
        Kind kind,
        String fallback,
        String help,
        Function<String, ?> form,
        Function<String, T> reader) {
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
    private static final Set<String> FALSE = Set.of("0", "f", "F", "false", "FALSE", "False");

    /** Form of a text. */
    public enum Kind {
        TEXT,
        NUMBER,
        /** Bytes: a number, optionally with KiB, MiB, GiB or TiB. */
        SIZE,
        BOOLEAN,
        DURATION,
        URLS,
        /** Repeatable {@code key=value}. */
        PAIRS
    }

    /** Creates an option whose values are all checked by its reader. */
    public static <T> Option<T> of(
            String name, Kind kind, String fallback, String help, Function<String, T> reader) {
        return new Option<>(name, kind, fallback, help, reader, reader);
    }

    /** Any text. */
    public static Option<String> text(String name, String fallback, String help) {
        return of(name, Kind.TEXT, fallback, help, text -> text);
    }

    /** A path; null for an empty text. */
    public static Option<Path> path(String name, String help) {
        return text(name, "", help).map(text -> text.isEmpty() ? null : Path.of(text));
    }

    /** Comma-separated texts; none for an empty text. */
    public static Option<List<String>> list(String name, String help) {
        return text(name, "", help)
                .map(text -> text.isEmpty() ? List.of() : List.of(text.split(",", -1)));
    }

    /** A whole number in one of Go's forms. */
    public static Option<Long> number(String name, String fallback, String help) {
        return of(name, Kind.NUMBER, fallback, help, GoNumber::parse);
    }

    /** A number of bytes, see {@link ByteSize}. */
    public static Option<Long> bytes(String name, String fallback, String help) {
        return of(name, Kind.SIZE, fallback, help, ByteSize::parse);
    }

    /** A whole number from {@code min} to {@code max}. */
    public static Option<Long> number(
            String name, String fallback, long min, long max, String help) {
        return between(number(name, fallback, help), min, max);
    }

    /** A number of bytes from {@code min} to {@code max}. */
    public static Option<Long> bytes(
            String name, String fallback, long min, long max, String help) {
        return between(bytes(name, fallback, help), min, max);
    }

    /** A boolean in one of Go's spellings. */
    public static Option<Boolean> bool(String name, String fallback, String help) {
        return of(name, Kind.BOOLEAN, fallback, help, Option::parseBool);
    }

    /** A duration, see {@link GoDuration}. */
    public static Option<Duration> duration(String name, String fallback, String help) {
        return of(name, Kind.DURATION, fallback, help, GoDuration::parse);
    }

    /** Repeatable {@code key=value}. */
    public static Option<Map.Entry<String, String>> pairs(String name, String help) {
        return of(name, Kind.PAIRS, "", help, Option::parsePair);
    }

    /** Converts or validates the value further; the check of the form stays the same. */
    public <R> Option<R> map(Function<? super T, ? extends R> step) {
        return new Option<>(
                name, kind, fallback, help, form, text -> step.apply(reader.apply(text)));
    }

    /** Replaces the message of every error by "must be ...". */
    public Option<T> expects(String what) {
        return new Option<>(
                name,
                kind,
                fallback,
                help,
                form,
                text -> {
                    try {
                        return reader.apply(text);
                    } catch (IllegalArgumentException malformed) {
                        throw new IllegalArgumentException("must be " + what, malformed);
                    }
                });
    }

    /** Limits a number to an int that is not negative, for {@link #map}. */
    public static Function<Long, Integer> upTo(int max) {
        return value -> {
            if (value > max) {
                throw new IllegalArgumentException("must not be above " + max);
            }
            return Math.toIntExact(notNegative(value));
        };
    }

    /** Refuses negative numbers, for {@link #map}. */
    public static long notNegative(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("must not be negative");
        }
        return value;
    }

    /** Parses a boolean as Go does. */
    public static boolean parseBool(String text) {
        if (!TRUE.contains(text) && !FALSE.contains(text)) {
            throw new IllegalArgumentException("parse error");
        }
        return TRUE.contains(text);
    }

    /** Parses {@code key=value}. */
    public static Map.Entry<String, String> parsePair(String text) {
        int split = text.indexOf('=');
        if (split < 1) {
            throw new IllegalArgumentException("want key=value");
        }
        return Map.entry(text.substring(0, split), text.substring(split + 1));
    }

    private static Option<Long> between(Option<Long> option, long min, long max) {
        return option.map(
                        value -> {
                            if (value < min || value > max) {
                                throw new IllegalArgumentException("out of range");
                            }
                            return value;
                        })
                .expects("from " + min + " to " + max);
    }

    /** The option as a flag of a command line. */
    public String flag() {
        return "--" + name;
    }
}
