package io.brain.backend.model;

import java.util.SortedSet;

/**
 * Status of a node.
 *
 * @param revision newest committed revision
 * @param compactRevision -1 if never compacted
 * @param epoch number of the leadership, shown as raft_term
 * @param batch number of the last batch, shown as raft_index
 * @param leaderId 0 if unknown
 * @param storedBytes encoded bytes of live data and history
 * @param keys keys that exist
 * @param quotaBytes limit of storedBytes; 0: none
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
