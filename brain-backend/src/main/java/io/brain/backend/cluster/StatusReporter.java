package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.Revisions;
import java.util.SortedSet;

/** What a node knows of itself and its cluster: as leader at first hand, else from the leader. */
public final class StatusReporter {
    /** What is shown before anything is known. */
    private static final IdentityRecord NOBODY = new IdentityRecord(0, 0);

    private static final Fence NO_FENCE = new Fence(0, 0, 0, 0);

    private final Elector elector;
    private final Revisions revisions;
    private final long quotaBytes;

    public StatusReporter(Elector elector, Revisions revisions, long quotaBytes) {
        this.elector = elector;
        this.revisions = revisions;
        this.quotaBytes = quotaBytes;
    }

    /** The status now. */
    public NodeStatus now() {
        IdentityRecord joined = elector.identity();
        IdentityRecord identity = joined == null ? NOBODY : joined;
        LeaderTerm term = elector.term();
        boolean leads = term != null && term.isSure();
        Fence fence = fence();
        return new NodeStatus(
                identity.clusterId(),
                identity.memberId(),
                leads ? identity.memberId() : elector.followership().leaderId(),
                revisions.committed().revision(),
                revisions.floor(),
                fence.epoch(),
                fence.batch(),
                fence.bytes(),
                fence.keys(),
                quotaBytes,
                alarms(term));
    }

    /** Bytes of live data and history, as far as this node knows. */
    long storedBytes() {
        return fence().bytes();
    }

    /** Number of the newest leadership that this node knows of. */
    long epoch() {
        return fence().epoch();
    }

    private SortedSet<Alarm> alarms(LeaderTerm term) {
        return (term != null ? term.alarms() : elector.followership().alarms()).alarms();
    }

    /** The newest fence that is known: the latest own term's, or what a leader told. */
    private Fence fence() {
        Standing told = elector.followership().standing();
        Fence own = elector.lastFence();
        if (own == null) {
            return told == null ? NO_FENCE : told.fence();
        }
        return told != null && told.fence().batch() > own.batch() ? told.fence() : own;
    }
}
