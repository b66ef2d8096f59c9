package io.brain.server.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** Refusals of the services that are not the backend's business, in etcd's words. */
final class Errors {
    /** What grpc-go says where a call ends before it has asked for something. */
    static final Status NO_REQUEST = Status.UNKNOWN.withDescription("EOF");

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

    /** Something that etcd has and this version has not. */
    static StatusRuntimeException unsupported(String what) {
        return of(Status.UNIMPLEMENTED, "brain: " + what + " is not supported by this version");
    }

    private static StatusRuntimeException of(Status status, String text) {
        return status.withDescription(text).asRuntimeException();
    }
}
