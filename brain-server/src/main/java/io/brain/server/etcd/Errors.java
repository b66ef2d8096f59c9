package io.brain.server.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** Errors of the services that do not come from the backend. */
final class Errors {
    private Errors() {}

    static StatusRuntimeException invalid(String text) {
        return of(Status.INVALID_ARGUMENT, text);
    }

    static StatusRuntimeException precondition(String text) {
        return of(Status.FAILED_PRECONDITION, text);
    }

    static StatusRuntimeException notFound(String text) {
        return of(Status.NOT_FOUND, text);
    }

    static StatusRuntimeException unavailable(String text) {
        return of(Status.UNAVAILABLE, text);
    }

    static StatusRuntimeException unknown(String text) {
        return of(Status.UNKNOWN, text);
    }

    /** A feature of etcd that is missing. */
    static StatusRuntimeException unsupported(String feature) {
        return of(Status.UNIMPLEMENTED, "brain: " + feature + " is not supported by this version");
    }

    private static StatusRuntimeException of(Status status, String text) {
        return status.withDescription(text).asRuntimeException();
    }
}
