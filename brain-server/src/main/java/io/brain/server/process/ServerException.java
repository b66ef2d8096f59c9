package io.brain.server.process;

/** A server cannot start or run. The message is one line for the operator. */
public class ServerException extends Exception {
    private static final long serialVersionUID = 1L;

    public ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
