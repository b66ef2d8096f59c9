/**
 * Sends commands to the leader, which is this node or another one ({@link LeaderRouter});
 * linearizable read points ({@link NodeReadPoints}), quota, members.
 */
package io.brain.backend.cluster;
