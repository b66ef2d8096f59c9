package io.brain.conformance.linear.load;

import io.brain.conformance.members.Cluster;

/**
 * What all clients of a round share.
 *
 * @param thinkMillisMax the longest pause of a client between two requests
 * @param staleReads whether linearizable reads are sent as serializable ones
 */
record Load(
        Cluster cluster, Recorder recorder, long seed, int thinkMillisMax, boolean staleReads) {}
