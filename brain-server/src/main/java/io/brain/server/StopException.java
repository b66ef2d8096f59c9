package io.brain.server;

/** The process must stop before the server is ready. */
final class StopException extends ServerException {
    private static final long serialVersionUID = 1L;

    StopException() {
        super("stopped before the server was ready", null);
    }
}
