package io.brain.server;

/** A server that cannot run. The message tells an operator in one line why. */
public class ServerException extends Exception {
    private static final long serialVersionUID = 1L;

    ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
