/**
 * What "acknowledged" is worth: a server is killed at random moments under writes and everything it
 * acknowledged is looked for afterwards, and its system calls are read for the proof that a write
 * was synced before its answer left.
 */
package io.brain.conformance.cluster.durability;
