package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderSide;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.ReadPoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this node does while it leads, whoever asks: its own clients, or another node. */
public final class LocalLeader implements Leader, LeaderSide {
    private static final TailSource NO_TAIL =
            new TailSource() {
                @Override
                public void ready() {}

                @Override
                public void close() {}
            };

    private static final Logger LOG = LoggerFactory.getLogger(LocalLeader.class);

    private final Elector elector;

    /** The last other server that a call was meant for: it is logged once. */
    private final AtomicReference<LeaderId> strangers =
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

    /** The newest state there is, if this node surely leads; else null. */
    ReadPoint readPointNow() {
        LeaderTerm term = elector.term();
        return term == null ? null : term.readPointNow();
    }

    @Override
    public Leader leader(LeaderId meant) {
        LeaderTerm term = elector.term();
        if (!isThisMember(meant) || !isMeant(meant, term)) {
            throw new BackendException(ErrorKind.NOT_LEADER);
        }
        return this;
    }

    @Override
    public TailSource tail(LeaderId meant, long from, TailTarget target) {
        if (!isThisMember(meant)) {
            target.end();
            return NO_TAIL;
        }
        return elector.tail(meant.epoch(), from, target);
    }

    private static boolean isMeant(LeaderId meant, LeaderTerm term) {
        return meant.epoch() == LeaderId.ANY_EPOCH
                || (term != null && term.fence().epoch() == meant.epoch());
    }

    private boolean isThisMember(LeaderId meant) {
        IdentityRecord self = elector.identity();
        if (self == null) {
            return false;
        }
        LeaderId here = new LeaderId(self.clusterId(), self.memberId(), meant.epoch());
        if (!here.equals(meant) && !meant.sameMember(strangers.getAndSet(meant))) {
            LOG.warn(
                    "refused a call for member {} of cluster {}; this is member {} of cluster {}:"
                            + " check --initial-advertise-peer-urls of both",
                    Long.toHexString(meant.memberId()),
                    Long.toHexString(meant.clusterId()),
                    Long.toHexString(self.memberId()),
                    Long.toHexString(self.clusterId()));
        }
        return here.equals(meant);
    }

    /** True while this node leads, and no other one can have taken over. */
    public boolean leads() {
        LeaderTerm term = elector.term();
        return term != null && term.isSure();
    }
}
