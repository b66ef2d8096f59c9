/**
 * The election of a leader in the store, and the two roles of a node: a leader's term (the fence at
 * a new epoch, the writer, the leases, the compactor, the alarms) and a follower.
 */
package io.brain.backend.cluster.election;
