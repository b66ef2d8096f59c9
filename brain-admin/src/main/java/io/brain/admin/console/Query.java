package io.brain.admin.console;

import io.brain.storage.Bytes;
import java.util.Base64;
import java.util.Map;

/**
 * A query to an {@link AdminEndpoint}.
 *
 * @param parameters by name
 */
public record Query(Map<String, String> parameters) {
    /** Copies the map. */
    public Query {
        parameters = Map.copyOf(parameters);
    }

    /** A malformed query; the message is for the client. */
    public static final class InvalidException extends RuntimeException {
        private static final long serialVersionUID = 1;

        InvalidException(String message) {
            super(message, null, false, false);
        }
    }

    /** A parameter as bytes: NAME as text, or NAME64 in URL-safe Base64; empty if absent. */
    Bytes bytes(String name) {
        String encoded = parameters.get(name + "64");
        if (encoded == null) {
            return Bytes.utf8(parameters.getOrDefault(name, ""));
        }
        try {
            return Bytes.wrap(Base64.getUrlDecoder().decode(encoded));
        } catch (IllegalArgumentException malformed) {
            throw new InvalidException(name + "64 is not URL-safe Base64");
        }
    }

    /** A parameter that must be present and not empty. */
    Bytes required(String name) {
        Bytes bytes = bytes(name);
        if (bytes.isEmpty()) {
            throw new InvalidException("missing parameter: " + name);
        }
        return bytes;
    }

    /** A number from 0 to {@code max}, {@code fallback} if absent. */
    long number(String name, long fallback, long max) {
        String text = parameters.getOrDefault(name, "");
        if (text.isEmpty()) {
            return fallback;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= max) {
                return number;
            }
        } catch (NumberFormatException malformed) {
            // handled below
        }
        throw new InvalidException(name + " is not a number from 0 to " + max);
    }
}
