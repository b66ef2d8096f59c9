package io.brain.server;

/** The process is to end before the server is ready. */
final class StopException extends ServerException {
    private static final long serialVersionUID = 1L;

    StopException() {
        super("told to stop before it was ready", null);
    }
}
