package io.brain.backend.model;

import io.brain.storage.StorageException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

/** Maps failures to {@link BackendException}s. */
public final class Failures {
    private Failures() {}

    /** The failure without wrappers of futures. */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** True if the failure is a {@link BackendException} of that kind. */
    public static boolean isOf(ErrorKind kind, Throwable failure) {
        return cause(failure) instanceof BackendException known && known.kind() == kind;
    }

    /** The failure as a {@link BackendException}. */
    public static BackendException of(Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof BackendException known) {
            return known;
        }
        if (cause instanceof StorageException storage) {
            return new BackendException(of(storage.kind()), storage);
        }
        if (cause instanceof RejectedExecutionException) {
            return new BackendException(ErrorKind.TOO_MANY_REQUESTS, cause);
        }
        return new BackendException(ErrorKind.INTERNAL, cause);
    }

    /** The kind for a failure of the engine. */
    public static ErrorKind of(StorageException.Kind kind) {
        return switch (kind) {
            case UNAVAILABLE -> ErrorKind.TIMEOUT;
            case NO_SPACE -> ErrorKind.NO_SPACE;
            case TOO_LARGE -> ErrorKind.REQUEST_TOO_LARGE;
            case CORRUPT -> ErrorKind.CORRUPT;
            case REFUSED -> ErrorKind.INTERNAL;
            case CLOSED -> ErrorKind.STOPPED;
        };
    }
}
