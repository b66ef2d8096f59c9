package io.brain.server.config;

import java.nio.file.InvalidPathException;
import java.util.function.Function;
import java.util.function.Predicate;

/** A setting that cannot be used. The message is for the operator and stands alone. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean usage;

    private ConfigException(String message, boolean usage) {
        super(message, null, false, false);
        this.usage = usage;
    }

    /** The command line itself is wrong: etcd prints its usage and ends with exit code 2. */
    static ConfigException usage(String message) {
        return new ConfigException(message, true);
    }

    /** A well-formed value that cannot be used: exit code 1. */
    static ConfigException value(String message) {
        return new ConfigException(message, false);
    }

    /** A text that is no path on this machine. */
    static ConfigException path(String flag, InvalidPathException malformed) {
        return value("--" + flag + ": " + malformed.getMessage());
    }

    /** Passes on a valid value, for {@link io.brain.options.Option#map}. */
    static <T> Function<T, T> require(Predicate<T> valid, String message) {
        return value -> {
            if (!valid.test(value)) {
                throw value(message);
            }
            return value;
        };
    }

    /** True if the usage lines help. */
    public boolean isUsage() {
        return usage;
    }
}
