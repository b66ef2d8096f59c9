/**
 * The interfaces between the nodes of a cluster: commands, which only the leader executes, and the
 * event stream, which keeps followers current. The server implements the transport.
 */
package io.brain.backend.cluster.link;
