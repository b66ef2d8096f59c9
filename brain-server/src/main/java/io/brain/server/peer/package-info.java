/** Calls between nodes: the leader's service, and the followers' links to it. Not for clients. */
package io.brain.server.peer;
