/**
 * Clusters of three real members on loopback, of etcd or of Brain over PD and a store, whose
 * processes can be killed, stalled and started again and whose links can be cut.
 */
package io.brain.conformance.members;
