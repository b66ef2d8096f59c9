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

/** A client that waits for one call at a time, and knows how calls may end and when they must. */
abstract class OneCallClient {
    /** Ends that say for sure: it did not happen. */
    private static final Set<ErrorKind> REFUSALS =
            Set.of(
                    ErrorKind.TOO_MANY_REQUESTS,
                    ErrorKind.NO_LEADER,
                    ErrorKind.DEADLINE_EXCEEDED,
                    ErrorKind.LEASE_NOT_FOUND,
                    ErrorKind.LEASE_EXISTS,
                    ErrorKind.COMPACTED,
                    ErrorKind.FUTURE_REVISION);

    /** Other ends that a failing cluster may show; it may have happened or not. */
    private static final Set<ErrorKind> UNCLEAR =
            Set.of(
                    ErrorKind.TIMEOUT,
                    ErrorKind.LEADER_CHANGED,
                    ErrorKind.LEADER_FAILED,
                    ErrorKind.CONNECTION_LOST,
                    ErrorKind.STOPPED);

    final SimulatedCluster cluster;
    final ClusterLedger ledger;

    /** The call under way; null if there is none. */
    private Call call;

    OneCallClient(SimulatedCluster cluster, ClusterLedger ledger) {
        this.cluster = cluster;
        this.ledger = ledger;
    }

    final boolean isBusy() {
        return call != null;
    }

    final String what() {
        return call == null ? "nothing" : call.what;
    }

    /** A server was killed: who waits for it hears no more. */
    final void lost(SimulatedServer server) {
        if (call != null && call.server == server) {
            call = null;
        }
    }

    /** Waits for the end of a call, unless its server is killed before. */
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
                        ledger.violations.add(violation);
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

    /** A question under way. */
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
            boolean patient = what.equals("compact true") || server.disturbed >= since;
            long most = cluster.timeout.plusMillis(1000).toNanos();
            assertThat(patient || took <= most)
                    .as("%s took %s", what, Duration.ofNanos(took))
                    .isTrue();
        }
    }
}
