package io.brain.admin.console;

/** Rejects a malformed query; the message names the problem. */
public final class BadQueryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates the exception with a one-line message for the client. */
    public BadQueryException(String message) {
        super(message, null, false, false);
    }
}
