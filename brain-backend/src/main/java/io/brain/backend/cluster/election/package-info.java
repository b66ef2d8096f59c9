/**
 * Election of a leader, its term, and the follower. {@link Elector} is the entry point: it either
 * promotes this node ({@link Promotion}), which begins a {@link LeaderTerm} under a {@link
 * LeaderLease}, or follows another leader ({@link Follower}).
 */
package io.brain.backend.cluster.election;
