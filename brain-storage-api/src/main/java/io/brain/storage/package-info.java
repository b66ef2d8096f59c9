/**
 * What Brain asks of a storage engine: ordered byte keys, snapshots to read from, one atomic
 * conditional commit and a logical clock.
 *
 * <p>Nothing here knows of etcd. {@link io.brain.storage.KvStorage} is the contract; the abstract
 * class {@code KvStorageContract} in {@code brain-storage-testkit} is the same contract as tests:
 * an adapter is correct when that class is green for it.
 */
package io.brain.storage;
