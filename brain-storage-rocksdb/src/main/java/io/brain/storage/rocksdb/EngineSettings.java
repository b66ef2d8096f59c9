package io.brain.storage.rocksdb;

/**
 * Resource limits of one open RocksDB.
 *
 * @param blockCacheBytes memory for cached blocks, indexes and filters
 * @param memtableBytes size of a memtable, in bytes
 * @param memtableCount maximum number of memtables, including those being flushed
 * @param backgroundJobs threads that flush and compact
 * @param openFilesMax maximum number of open files
 */
record EngineSettings(
        long blockCacheBytes,
        long memtableBytes,
        int memtableCount,
        int backgroundJobs,
        int openFilesMax) {}
