/**
 * Leases: granted, revoked and expired by proposals to the sequencer, renewed in memory. On the
 * leader only.
 */
package io.brain.backend.lease;
