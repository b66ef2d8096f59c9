package io.brain.storage.tikv.client;

/** No response to a request. The request may have been executed, or may still be. */
public final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoAnswerException(Throwable cause) {
        super(cause.getMessage(), cause);
    }
}
