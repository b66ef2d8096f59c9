package io.brain.server.lock;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.server.grpc.StatusMapper;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;

/**
 * Errors of these services. etcd's use its own client, which keeps an error's text and loses its
 * code: the code is UNKNOWN. The end of the call or of the server keeps its code.
 */
final class Errors {
    private Errors() {}

    static StatusRuntimeException unknown(String text) {
        return Status.UNKNOWN.withDescription(text).asRuntimeException();
    }

    static StatusRuntimeException keyNotProvided() {
        return of(new BackendException(ErrorKind.KEY_NOT_PROVIDED));
    }

    /** Replaces the failure of a stage. */
    static <T> CompletableFuture<T> failed(Throwable failure) {
        return CompletableFuture.failedFuture(of(failure));
    }

    /** The error of a call that failed with {@code failure}. */
    static StatusRuntimeException of(Throwable failure) {
        Status status = StatusMapper.of(failure);
        boolean ends =
                status.getCode() == Code.CANCELLED
                        || status.getCode() == Code.DEADLINE_EXCEEDED
                        || Failures.isOf(ErrorKind.STOPPED, failure)
                        || Failures.isOf(ErrorKind.WATCH_INTERRUPTED, failure);
        return ends
                ? status.asRuntimeException()
                : Status.UNKNOWN
                        .withDescription(status.getDescription())
                        .withCause(status.getCause())
                        .asRuntimeException();
    }
}
