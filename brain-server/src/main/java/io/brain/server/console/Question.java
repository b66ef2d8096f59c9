package io.brain.server.console;

import io.brain.storage.Bytes;
import java.util.Base64;
import java.util.Map;

/**
 * What is asked of a {@link Fact}.
 *
 * @param parameters by name
 */
public record Question(Map<String, String> parameters) {
    /** A question without parameters. */
    public static final Question PLAIN = new Question(Map.of());

    /** Copies the map. */
    public Question {
        parameters = Map.copyOf(parameters);
    }

    /** Bytes, as text, or, for any bytes at all, in URL-safe Base64 as NAME64; null if absent. */
    Bytes bytes(String name) {
        String encoded = parameters.get(name + "64");
        if (encoded != null) {
            try {
                return Bytes.wrap(Base64.getUrlDecoder().decode(encoded));
            } catch (IllegalArgumentException malformed) {
                throw new BadQuestionException(name + "64 is not URL-safe Base64");
            }
        }
        String text = parameters.get(name);
        return text == null ? null : Bytes.utf8(text);
    }

    /** The same; it must be there and not be empty. */
    Bytes required(String name) {
        Bytes bytes = bytes(name);
        if (bytes == null || bytes.isEmpty()) {
            throw new BadQuestionException("which " + name + "?");
        }
        return bytes;
    }

    /** A number from 0 to {@code most}, {@code fallback} if absent. */
    long number(String name, long fallback, long most) {
        String text = parameters.get(name);
        if (text == null || text.isEmpty()) {
            return fallback;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException malformed) {
            // said below
        }
        throw new BadQuestionException(name + " is not a number from 0 to " + most);
    }
}
