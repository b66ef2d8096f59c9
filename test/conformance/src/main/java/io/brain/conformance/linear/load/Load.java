package io.brain.conformance.linear.load;

import io.brain.conformance.members.Cluster;
import java.util.concurrent.locks.Lock;

/**
 * What all clients of a round share.
 *
 * @param thinkMillisMax the longest pause of a client between two requests
 * @param staleReads whether linearizable reads are sent as serializable ones
 * @param running held during a request; it is taken away for a silence
 */
record Load(
        Cluster cluster,
        Recorder recorder,
        long seed,
        int thinkMillisMax,
        boolean staleReads,
        Lock running) {}
