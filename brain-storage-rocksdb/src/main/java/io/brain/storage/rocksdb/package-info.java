/**
 * The embedded engine: one RocksDB in one directory, for one process.
 *
 * <p>{@link io.brain.storage.rocksdb.RocksDbStorageFactory} opens it by options. Inside, {@code
 * DataDirectory} decides whether a directory may be opened, {@code EngineOpener} opens RocksDB in
 * it, {@code Engine} is one open RocksDB, {@code EngineSlot} hands the current one to readers, and
 * {@code Committer} is the only writer: it runs on the storage's one thread, and replaces an engine
 * that failed.
 */
package io.brain.storage.rocksdb;
