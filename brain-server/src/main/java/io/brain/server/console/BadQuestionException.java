package io.brain.server.console;

/** What is asked makes no sense; the message says why. */
public final class BadQuestionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a line for who asked. */
    public BadQuestionException(String message) {
        super(message, null, false, false);
    }
}
