/**
 * Keys, revisions, transactions, events and leases on top of a {@link io.brain.storage.KvStorage};
 * knows nothing of gRPC. {@link io.brain.backend.Backend} is what a server sees.
 */
package io.brain.backend;
