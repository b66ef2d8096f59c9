package io.brain.backend.cluster.link;

/**
 * Identifies a leadership. Every call to a leader carries it, so that another server that receives
 * the call by mistake does not execute it.
 *
 * @param epoch {@link #ANY_EPOCH} for a call to a member, whether it leads or not
 */
public record LeaderId(long clusterId, long memberId, long epoch) {
    /** Stands for all epochs. */
    public static final long ANY_EPOCH = 0;

    /** True if the other one has the same cluster and member. */
    public boolean sameMember(LeaderId other) {
        return clusterId == other.clusterId && memberId == other.memberId;
    }

    /** The three numbers in hexadecimal. */
    @Override
    public String toString() {
        return Long.toHexString(clusterId)
                + '-'
                + Long.toHexString(memberId)
                + '-'
                + Long.toHexString(epoch);
    }
}
