/**
 * What the nodes of a cluster do for each other: commands that only the leader can execute, and the
 * stream of commits that keeps followers up to date. The server carries both.
 */
package io.brain.backend.cluster.link;
