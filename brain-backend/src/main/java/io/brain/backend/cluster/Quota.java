package io.brain.backend.cluster;

import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's own limit on stored bytes. As in etcd it is checked by the node that a request
 * reaches, whichever node leads; the alarm that it raises holds for all nodes. Thread-safe.
 */
public final class Quota {
    private static final Logger LOG = LoggerFactory.getLogger(Quota.class);

    private final long bytesMax;
    private final StatusReporter status;
    private final LeaderRouter leader;

    /**
     * A quota.
     *
     * @param bytesMax 0: no limit
     * @param status knows the stored bytes
     * @param leader stores the alarm
     */
    public Quota(long bytesMax, StatusReporter status, LeaderRouter leader) {
        this.bytesMax = bytesMax;
        this.status = status;
        this.leader = leader;
    }

    /** True if there is no room for a command. */
    public boolean exceeds(LeaderCommand<?> command) {
        long cost = command.quotaCost();
        return bytesMax > 0 && cost > 0 && status.storedBytes() + cost >= bytesMax;
    }

    /** Fails with NO_SPACE, once the leader has stored the alarm or did not in time. */
    public <T> CompletableFuture<T> refuse() {
        CompletableFuture<T> refused = new CompletableFuture<>();
        Alarm alarm = new Alarm(status.now().memberId(), Alarm.NO_SPACE);
        Futures.onEnd(
                leader.submit(new RaiseAlarm(alarm)),
                (fresh, failure) -> {
                    if (failure == null && fresh) {
                        LOG.warn(
                                "the quota of {} bytes is used up: an alarm stops what needs room"
                                        + " until it is disarmed",
                                bytesMax);
                    }
                    refused.completeExceptionally(new BackendException(ErrorKind.NO_SPACE));
                });
        return refused;
    }
}
