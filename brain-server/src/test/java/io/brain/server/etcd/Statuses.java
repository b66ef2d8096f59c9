package io.brain.server.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** Statuses of failed calls of generated stubs. */
final class Statuses {
    private Statuses() {}

    /** The status of a call that must fail. */
    static Status of(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException failure) {
            return failure.getStatus();
        }
        throw new AssertionError("the call did not fail");
    }

    /** Code and description of a call that must fail. */
    static String textOf(Runnable call) {
        Status status = of(call);
        return status.getCode() + " " + status.getDescription();
    }
}
