package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderEndpoint;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.IdentityRecord;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes commands of this node and of others while this node leads. Thread-safe. */
public final class LocalLeader implements Leader, LeaderEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(LocalLeader.class);

    private final Elector elector;

    /** The last other member that a call named; logged once. */
    private final AtomicReference<LeaderId> lastRefused =
            new AtomicReference<>(new LeaderId(0, 0, 0));

    public LocalLeader(Elector elector) {
        this.elector = elector;
    }

    @Override
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        LeaderTerm term = elector.term();
        return term == null
                ? CompletableFuture.failedFuture(new BackendException(ErrorKind.NOT_LEADER))
                : term.submit(command);
    }

    @Override
    public Leader leader(LeaderId named) {
        LeaderTerm term = elector.term();
        boolean current =
                named.epoch() == LeaderId.ANY_EPOCH
                        || (term != null && term.fence().epoch() == named.epoch());
        if (!isThisMember(named) || !current) {
            throw new BackendException(ErrorKind.NOT_LEADER);
        }
        return this;
    }

    @Override
    public EventStream eventStream(LeaderId named, long from, EventTarget target) {
        long epoch = isThisMember(named) ? named.epoch() : LeaderId.ANY_EPOCH; // of no term
        return elector.openStream(epoch, from, target);
    }

    private boolean isThisMember(LeaderId named) {
        IdentityRecord self = elector.identity();
        if (self == null) {
            return false;
        }
        LeaderId here = new LeaderId(self.clusterId(), self.memberId(), named.epoch());
        if (!here.equals(named) && !named.sameMember(lastRefused.getAndSet(named))) {
            LOG.warn(
                    "refused call for another member, check --initial-advertise-peer-urls of both"
                            + " member={} cluster={} thisMember={} thisCluster={}",
                    Long.toHexString(named.memberId()),
                    Long.toHexString(named.clusterId()),
                    Long.toHexString(self.memberId()),
                    Long.toHexString(self.clusterId()));
        }
        return here.equals(named);
    }

    /** True while this node counts as the leader. */
    public boolean leads() {
        return elector.heldTerm() != null;
    }

    /** True while it leads and no other node can have taken over. */
    boolean leadsSurely() {
        LeaderTerm term = elector.heldTerm();
        return term != null && term.isSure();
    }
}
