package io.brain.transfer.mirror;

import io.brain.transfer.verify.EndpointSide;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Repeats calls that may be repeated, while a server or its leader is away. */
final class Retries {
    private static final long PAUSE_MILLIS_MIN = 20;
    private static final long PAUSE_MILLIS_MAX = 200;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final Set<Status.Code> TRANSIENT =
            Set.of(
                    Status.Code.UNAVAILABLE,
                    Status.Code.DEADLINE_EXCEEDED,
                    Status.Code.ABORTED,
                    Status.Code.CANCELLED,
                    Status.Code.INTERNAL,
                    Status.Code.UNKNOWN);

    /** A call without a result that changes nothing when it is repeated. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    /** A call that changes nothing when it is repeated. */
    @FunctionalInterface
    interface Call<T> {
        T run() throws IOException;
    }

    private Retries() {}

    /** Makes a call, repeated as in {@link #of(Call)}. */
    static void run(Step step) throws IOException {
        var unused =
                of(
                        () -> {
                            step.run();
                            return true;
                        });
    }

    /**
     * Makes a call, repeated as in {@link #of(Call)}.
     *
     * @param done code of the failure if it was made before, and its answer was lost
     */
    static void complete(String server, Supplier<?> call, Status.Code done) throws IOException {
        run(
                () -> {
                    try {
                        var unused = call.get();
                    } catch (StatusRuntimeException failed) {
                        if (failed.getStatus().getCode() != done) {
                            throw EndpointSide.failure(server, failed);
                        }
                    }
                });
    }

    /** The result of a call, repeated for up to ten minutes after its first failure. */
    static <T> T of(Call<T> call) throws IOException {
        return of(call, PATIENCE_NANOS);
    }

    /** The same, for another time. A single call may take longer than that. */
    static <T> T of(Call<T> call, long patienceNanos) throws IOException {
        Long failedAt = null; // the first time
        long pause = PAUSE_MILLIS_MIN;
        while (true) {
            try {
                return call.run();
            } catch (IOException failed) {
                long now = System.nanoTime();
                failedAt = failedAt == null ? now : failedAt;
                if (!isTransient(failed) || now - failedAt > patienceNanos) {
                    throw failed;
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
            pause = Math.min(PAUSE_MILLIS_MAX, 2 * pause);
        }
    }

    /** True if the call may succeed later. */
    static boolean isTransient(IOException failed) {
        return failed.getCause() instanceof StatusRuntimeException status
                && (TRANSIENT.contains(status.getStatus().getCode())
                        || mayPass(String.valueOf(status.getStatus().getDescription())));
    }

    /** A limit of the server, or a token for which the next call gets another one. */
    static boolean mayPass(String text) {
        return text.contains("too many requests")
                || text.contains("invalid auth token")
                || text.contains("auth store is old");
    }
}
