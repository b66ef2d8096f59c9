/**
 * Test support for adapters and their users: the storage contract as a test class, an in-memory
 * reference adapter, fault injection and real databases.
 *
 * <p>An adapter extends {@link io.brain.storage.testkit.KvStorageContract}. Everything above the
 * storage interface is tested on {@link io.brain.storage.testkit.MemoryStorage}, wrapped in {@link
 * io.brain.storage.testkit.FaultyStorage} for tests with engine failures.
 */
package io.brain.storage.testkit;
