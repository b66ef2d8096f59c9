package io.brain.storage.tikv.client;

import org.tikv.shade.io.grpc.Status;

/** No response to a request. The request may have been executed, or may still be. */
public final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoAnswerException(Throwable cause) {
        super(cause.getMessage(), cause);
    }

    /** True if the response would have been larger than a message may be. */
    public boolean isTooLarge() {
        return Status.fromThrowable(getCause()).getCode() == Status.Code.RESOURCE_EXHAUSTED;
    }
}
