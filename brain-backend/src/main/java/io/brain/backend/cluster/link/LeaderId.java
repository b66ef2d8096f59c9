package io.brain.backend.cluster.link;

/**
 * Identifies one leadership: every call to a leader names the one that it is meant for, so that a
 * server that is reached by mistake does not execute it.
 *
 * @param epoch number of the leadership; {@link #ANY_EPOCH} where only the member is meant
 */
public record LeaderId(long clusterId, long memberId, long epoch) {
    /** Of a call that a member answers whether it leads or not. */
    public static final long ANY_EPOCH = 0;

    /** True if both are of the same member of the same cluster. */
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
