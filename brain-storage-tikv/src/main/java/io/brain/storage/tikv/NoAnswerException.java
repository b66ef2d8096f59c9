package io.brain.storage.tikv;

/** A request was sent, or not, and there is no answer: it may have been executed, now or later. */
final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoAnswerException(Throwable cause) {
        super(cause.getMessage(), cause);
    }
}
