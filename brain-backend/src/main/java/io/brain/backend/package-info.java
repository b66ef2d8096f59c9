/**
 * Keys, revisions, transactions, events and leases on a {@link io.brain.storage.KvStorage};
 * independent of gRPC. A server uses {@link io.brain.backend.Backend}.
 */
package io.brain.backend;
