/**
 * A node's way to the leader, which is this node or another one: commands, linearizable read
 * points, the members, the status.
 */
package io.brain.backend.cluster;
