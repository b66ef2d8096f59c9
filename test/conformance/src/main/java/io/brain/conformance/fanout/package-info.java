/** What a watch event costs the leader and all servers, by how many nodes serve the watchers. */
package io.brain.conformance.fanout;
