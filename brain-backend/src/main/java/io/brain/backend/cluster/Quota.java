package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.store.IdentityRecord;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's limit of stored bytes. As in etcd, the node that a client calls checks it, whichever
 * node leads, and the alarm that it raises is for all nodes. Thread-safe.
 */
public final class Quota {
    private static final Logger LOG = LoggerFactory.getLogger(Quota.class);

    private final long bytesMax;
    private final Elector elector;
    private final LeaderRouter leader;

    /**
     * Creates a quota.
     *
     * @param bytesMax 0: no limit
     */
    public Quota(long bytesMax, Elector elector, LeaderRouter leader) {
        this.bytesMax = bytesMax;
        this.elector = elector;
        this.leader = leader;
    }

    /** True if there is no space for a command. */
    public boolean exceeds(LeaderCommand<?> command) {
        long cost = command.quotaCost();
        return bytesMax > 0 && cost > 0 && elector.newestFence().bytes() + cost >= bytesMax;
    }

    /** Fails with NO_SPACE once the leader has stored the alarm, or after the timeout. */
    public <T> CompletableFuture<T> refuse() {
        CompletableFuture<T> refused = new CompletableFuture<>();
        IdentityRecord self = elector.identity();
        Alarm alarm = new Alarm(self == null ? 0 : self.memberId(), Alarm.NO_SPACE);
        Futures.onEnd(
                leader.submit(new RaiseAlarm(alarm)),
                (fresh, failure) -> {
                    if (failure == null && fresh) {
                        LOG.warn("quota exceeded, raised alarm NOSPACE quotaBytes={}", bytesMax);
                    }
                    refused.completeExceptionally(new BackendException(ErrorKind.NO_SPACE));
                });
        return refused;
    }
}
