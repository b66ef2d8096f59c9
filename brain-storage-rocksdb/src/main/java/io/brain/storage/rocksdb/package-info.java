/**
 * The embedded engine: one RocksDB in one directory, for one process.
 *
 * <p>{@link io.brain.storage.rocksdb.RocksDbStorageFactory} opens it with options. {@code
 * DataDirectory} checks and locks the directory, {@code EngineOpener} opens RocksDB in it, {@code
 * Engine} is one open RocksDB, {@code EngineSlot} holds the current one for readers, and {@code
 * Committer} is the only writer: it reopens an engine that failed.
 */
package io.brain.storage.rocksdb;
