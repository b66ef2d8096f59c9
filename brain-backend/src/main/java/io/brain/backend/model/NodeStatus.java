package io.brain.backend.model;

import java.util.SortedSet;

/**
 * A node's view of itself and its cluster.
 *
 * @param revision newest committed revision
 * @param compactRevision the compaction floor; -1 if nothing was compacted
 * @param epoch number of the leadership, shown as raft_term
 * @param batch number of the last batch, shown as raft_index
 * @param leaderId member id of the leader; 0 if none is known
 * @param storedBytes encoded bytes of live data and history
 * @param keys keys that exist
 * @param quotaBytes limit on storedBytes; 0 if there is none
 */
public record NodeStatus(
        long clusterId,
        long memberId,
        long leaderId,
        long revision,
        long compactRevision,
        long epoch,
        long batch,
        long storedBytes,
        long keys,
        long quotaBytes,
        SortedSet<Alarm> alarms) {}
