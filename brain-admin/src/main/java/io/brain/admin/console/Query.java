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
    /** A query without parameters. */
    public static final Query EMPTY = new Query(Map.of());

    /** Copies the map. */
    public Query {
        parameters = Map.copyOf(parameters);
    }

    /** A parameter as bytes: NAME as text, or NAME64 in URL-safe Base64; null if absent. */
    Bytes bytes(String name) {
        String encoded = parameters.get(name + "64");
        if (encoded != null) {
            try {
                return Bytes.wrap(Base64.getUrlDecoder().decode(encoded));
            } catch (IllegalArgumentException malformed) {
                throw new BadQueryException(name + "64 is not URL-safe Base64");
            }
        }
        String text = parameters.get(name);
        return text == null ? null : Bytes.utf8(text);
    }

    /** A parameter that must be present and not empty. */
    Bytes required(String name) {
        Bytes bytes = bytes(name);
        if (bytes == null || bytes.isEmpty()) {
            throw new BadQueryException("missing parameter: " + name);
        }
        return bytes;
    }

    /** A number from 0 to {@code max}, {@code fallback} if absent. */
    long number(String name, long fallback, long max) {
        String text = parameters.get(name);
        if (text == null || text.isEmpty()) {
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
        throw new BadQueryException(name + " is not a number from 0 to " + max);
    }
}
