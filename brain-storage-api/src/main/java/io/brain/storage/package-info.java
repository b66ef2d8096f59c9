/**
 * The storage interface: ordered byte keys, snapshot reads, an atomic conditional commit and a
 * logical clock.
 *
 * <p>Independent of etcd. {@link io.brain.storage.KvStorage} is the contract; {@code
 * KvStorageContract} in {@code brain-storage-testkit} is the same contract as tests: an adapter is
 * correct when they pass.
 */
package io.brain.storage;
