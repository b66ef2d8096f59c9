/**
 * Leases: granted and revoked in the order of writes, renewed in memory, and ended by an ordinary
 * write once their time is over. Lives on the leader only.
 */
package io.brain.backend.lease;
