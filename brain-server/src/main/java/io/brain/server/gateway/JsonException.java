package io.brain.server.gateway;

/** A JSON text that is no message of the expected type; the text names no values. */
final class JsonException extends Exception {
    private static final long serialVersionUID = 1;

    JsonException(String message) {
        super(message);
    }
}
