package io.brain.storage.tikv.client;

import io.grpc.Status;

/** No response to a request. The request may have been executed, or may still be. */
public final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoAnswerException(Throwable cause) {
        super(cause.getMessage(), cause);
    }

    /** True if the time of the request ended before there was a response. */
    boolean isTimeout() {
        return status() == Status.Code.DEADLINE_EXCEEDED;
    }

    /** True if there was no connection, or it broke. */
    boolean isRefusal() {
        return status() == Status.Code.UNAVAILABLE;
    }

    /** True if the store may be one of another cluster. */
    boolean isOfOtherCluster() {
        return status() == Status.Code.INVALID_ARGUMENT;
    }

    /** True if the response would have been larger than a message may be. */
    public boolean isTooLarge() {
        return status() == Status.Code.RESOURCE_EXHAUSTED;
    }

    private Status.Code status() {
        return Status.fromThrowable(getCause()).getCode();
    }
}
