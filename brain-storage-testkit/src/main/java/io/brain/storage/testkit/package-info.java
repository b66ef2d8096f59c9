/**
 * For tests of adapters and of what is built on them: the storage contract as a test class, a
 * reference adapter in memory, and faults to inject.
 *
 * <p>An adapter extends {@link io.brain.storage.testkit.KvStorageContract}. Everything above the
 * storage interface is tested on {@link io.brain.storage.testkit.MemoryStorage}, wrapped in {@link
 * io.brain.storage.testkit.FaultyStorage} where a test needs an engine that misbehaves.
 */
package io.brain.storage.testkit;
