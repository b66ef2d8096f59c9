/**
 * The shared engine: a TiKV cluster behind PD, for any number of processes.
 *
 * <p>{@link io.brain.storage.tikv.TikvStorageFactory} opens it by options. Inside, {@code Cluster}
 * owns the connections, {@code RegionCache} knows where keys are, {@code RegionFanout} sends one
 * request per region and repeats what a region refused, {@code TimestampOracle} gives timestamps,
 * {@code Transaction} is one two-phase commit, {@code Committer} makes a batch of it, {@code
 * LockResolver} finds out what became of transactions, and {@code Reader} reads at a timestamp.
 */
package io.brain.storage.tikv;
