package io.brain.server.config;

import java.nio.file.InvalidPathException;
import java.util.function.Function;
import java.util.function.Predicate;

/** An invalid setting. The message is a complete line for the operator. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean usage;

    private ConfigException(String message, boolean usage) {
        super(message, null, false, false);
        this.usage = usage;
    }

    /** An invalid command line: as in etcd, the usage is printed; exit code 2. */
    public static ConfigException usage(String message) {
        return new ConfigException(message, true);
    }

    /** An invalid value: exit code 1. */
    static ConfigException value(String message) {
        return new ConfigException(message, false);
    }

    /** A malformed path. */
    static ConfigException path(String flag, InvalidPathException malformed) {
        return value("--" + flag + ": " + malformed.getMessage());
    }

    /** Rejects invalid values, for {@link io.brain.options.Option#map}. */
    static <T> Function<T, T> require(Predicate<T> valid, String message) {
        return value -> {
            if (!valid.test(value)) {
                throw value(message);
            }
            return value;
        };
    }

    /** True if the usage is printed. */
    public boolean isUsage() {
        return usage;
    }
}
