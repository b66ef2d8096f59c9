package io.brain.server.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** How calls of generated stubs end. */
final class Ends {
    private Ends() {}

    /** The status of a call that must fail. */
    static Status of(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException failure) {
            return failure.getStatus();
        }
        throw new AssertionError("the call did not fail");
    }

    /** Code and words of a call that must fail. */
    static String textOf(Runnable call) {
        Status status = of(call);
        return status.getCode() + " " + status.getDescription();
    }
}
