/**
 * What nodes of a cluster do for each other, as the backend sees it: calls that only the leader can
 * answer, and the stream of commits that keeps followers up to date. The server carries both.
 */
package io.brain.backend.peer;
