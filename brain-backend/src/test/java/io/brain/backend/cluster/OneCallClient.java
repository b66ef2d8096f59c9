package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A client with one call at a time, which checks the error and the duration of each call. */
abstract class OneCallClient {
    /** Errors of calls that were certainly not executed. */
    private static final Set<ErrorKind> REFUSALS =
            Set.of(
                    ErrorKind.TOO_MANY_REQUESTS,
                    ErrorKind.NO_LEADER,
                    ErrorKind.DEADLINE_EXCEEDED,
                    ErrorKind.LEASE_NOT_FOUND,
                    ErrorKind.LEASE_EXISTS,
                    ErrorKind.COMPACTED,
                    ErrorKind.FUTURE_REVISION);

    /** Errors of calls that may have been executed. */
    private static final Set<ErrorKind> UNCLEAR =
            Set.of(
                    ErrorKind.TIMEOUT,
                    ErrorKind.LEADER_CHANGED,
                    ErrorKind.LEADER_FAILED,
                    ErrorKind.CONNECTION_LOST,
                    ErrorKind.STOPPED);

    final SimulatedCluster cluster;
    final ClientAnswers answers;

    /** The call in flight; null if there is none. */
    private Call call;

    OneCallClient(SimulatedCluster cluster, ClientAnswers answers) {
        this.cluster = cluster;
        this.answers = answers;
    }

    final boolean isBusy() {
        return call != null;
    }

    final String what() {
        return call == null ? "nothing" : call.what;
    }

    /** Drops the call to a server that was killed. */
    final void lost(SimulatedServer server) {
        if (call != null && call.server == server) {
            call = null;
        }
    }

    /** Waits for the result of a call, unless its server is killed. */
    final <T> void ask(
            SimulatedServer server,
            String what,
            CompletableFuture<T> future,
            Consumer<T> answered,
            Runnable refused) {
        Call mine = new Call(server, what, cluster.simulation.nanos());
        call = mine;
        CompletionStage<T> stage = future;
        stage.whenComplete(
                (value, failure) -> {
                    if (call != mine) {
                        return;
                    }
                    call = null;
                    try {
                        mine.checkTime();
                        if (failure == null) {
                            answered.accept(value);
                        } else {
                            ended(what, Failures.of(failure), server, refused);
                        }
                    } catch (RuntimeException | AssertionError violation) {
                        answers.violations.add(violation);
                    }
                });
    }

    private static void ended(
            String what, BackendException failure, SimulatedServer server, Runnable refused) {
        ErrorKind kind = failure.kind();
        if (REFUSALS.contains(kind)) {
            refused.run();
        } else if (!UNCLEAR.contains(kind) || (kind == ErrorKind.STOPPED && !server.isStopping())) {
            throw new AssertionError(what + " ended with " + kind, failure);
        }
    }

    private final class Call {
        private final SimulatedServer server;
        private final String what;
        private final long since;

        Call(SimulatedServer server, String what, long since) {
            this.server = server;
            this.what = what;
            this.since = since;
        }

        void checkTime() {
            long took = cluster.simulation.nanos() - since;
            boolean slow = what.equals("compact true") || server.disturbed >= since;
            long most = cluster.timeout.plusMillis(1000).toNanos();
            assertThat(slow || took <= most)
                    .as("%s took %s", what, Duration.ofNanos(took))
                    .isTrue();
        }
    }
}
