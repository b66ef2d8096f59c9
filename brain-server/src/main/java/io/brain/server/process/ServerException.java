package io.brain.server.process;

import java.util.concurrent.Callable;

/** A server cannot start or run. The message is one line for the operator. */
public class ServerException extends Exception {
    private static final long serialVersionUID = 1L;

    public ServerException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Calls; a failure becomes an exception with the same message, which is for the operator. */
    public static <T> T wrapping(Callable<T> call) throws ServerException {
        try {
            return call.call();
        } catch (Exception failure) {
            throw new ServerException(failure.getMessage(), failure);
        }
    }
}
