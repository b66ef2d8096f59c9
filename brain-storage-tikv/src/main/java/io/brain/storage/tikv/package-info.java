/**
 * The shared engine: a TiKV cluster behind PD, for any number of processes.
 *
 * <p>{@link io.brain.storage.tikv.TikvStorageFactory} opens it with options. {@code Cluster} owns
 * the connections, {@code RegionCache} locates keys, {@code RegionFanout} sends one request per
 * region and repeats rejected ones, {@code TimestampOracle} returns timestamps, {@code Transaction}
 * is one two-phase commit, {@code Committer} commits batches, {@code LockResolver} resolves the
 * locks of other transactions, and {@code Reader} reads at a timestamp.
 */
package io.brain.storage.tikv;
