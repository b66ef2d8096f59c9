package io.brain.server.grpc;

import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disconnects clients that do not read their responses, which occupy the response budget. A
 * response has 30 s, or 5 s while other reads wait for memory, plus 1 s per MiB. While others wait,
 * its connection must also take 64 KiB every 2 s. After a violation this limit is 0.5 s for 10 s:
 * the next reads in the queue are often of the same clients, and each would delay the others by
 * another 2 s. Time in which the connection's own thread does not get to it does not count.
 *
 * <p>Thread-safe.
 */
public final class StallGuard {
    private static final Logger LOG = LoggerFactory.getLogger(StallGuard.class);

    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final int CHECKS_PER_SECOND = 4;
    private static final int CHECKS_MAX = 30 * CHECKS_PER_SECOND;
    private static final int CONTENDED_CHECKS_MAX = 5 * CHECKS_PER_SECOND;
    private static final int IDLE_CHECKS_MAX = 2 * CHECKS_PER_SECOND;
    private static final int STRICT_IDLE_CHECKS_MAX = CHECKS_PER_SECOND / 2;
    private static final int STRICT_CHECKS = 10 * CHECKS_PER_SECOND;
    private static final int BYTES_PER_CHECK = (1 << 20) / CHECKS_PER_SECOND;

    /** A connection that took less than this is idle. */
    private static final int PROGRESS_BYTES = 64 << 10;

    private final Set<Response> responses = ConcurrentHashMap.newKeySet();
    private final PeriodicCheck check;

    /** Number of checks for which the shorter limit still holds; used by the check only. */
    private volatile int strictChecks;

    public StallGuard(Scheduler scheduler) {
        check = new PeriodicCheck(scheduler, INTERVAL, responses, this::check);
    }

    /**
     * Watches a response until the returned timer is cancelled.
     *
     * @param bytes length of the response
     * @param reservation memory that the response occupies
     */
    Scheduler.Timer watch(Connection connection, long bytes, Reservation reservation) {
        Response response = new Response(connection, bytes, reservation);
        responses.add(response);
        check.start();
        return () -> responses.remove(response);
    }

    private void check() {
        int idleChecksMax = strictChecks > 0 ? STRICT_IDLE_CHECKS_MAX : IDLE_CHECKS_MAX;
        int strict = Math.max(0, strictChecks - 1);
        for (Response response : responses) {
            boolean contended = response.reservation.isWanted();
            response.check();
            if (contended && response.idleChecks >= idleChecksMax) {
                strict = STRICT_CHECKS;
                response.disconnect();
            } else if (response.checks >= response.checksMax(contended)) {
                response.disconnect();
            }
        }
        strictChecks = strict;
    }

    /** A response that the client has not taken. The counters belong to the check. */
    private final class Response {
        private final Connection connection;
        private final long bytes;
        private final Reservation reservation;
        private long checks;
        private long idleChecks;
        private long takenBytes;

        /** True if the connection's thread has run since the last check. */
        private volatile boolean attended = true;

        Response(Connection connection, long bytes, Reservation reservation) {
            this.connection = connection;
            this.bytes = bytes;
            this.reservation = reservation;
            this.takenBytes = connection.takenBytes();
        }

        void check() {
            if (!attended) {
                return; // the server is busy: the client may be waiting for its response
            }
            attended = false;
            connection.execute(() -> attended = true);
            checks++;
            idleChecks++;
            long taken = connection.takenBytes();
            if (taken - takenBytes >= PROGRESS_BYTES) {
                takenBytes = taken;
                idleChecks = 0;
            }
        }

        long checksMax(boolean contended) {
            return (contended ? CONTENDED_CHECKS_MAX : CHECKS_MAX) + bytes / BYTES_PER_CHECK;
        }

        void disconnect() {
            if (responses.remove(this)) { // else it was taken meanwhile
                LOG.warn("disconnecting client that does not read its response bytes={}", bytes);
                connection.drop();
            }
        }
    }
}
