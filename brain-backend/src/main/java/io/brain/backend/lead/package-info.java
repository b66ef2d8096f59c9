/**
 * Leadership: taking it (the fence at a new epoch), and what lives for exactly one epoch: the
 * writer, the leases, the compactor, the alarms.
 */
package io.brain.backend.lead;
