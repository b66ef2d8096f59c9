package io.brain.storage.rocksdb;

/**
 * What one open RocksDB may use.
 *
 * @param blockCacheBytes memory for blocks that were read, with their indexes and filters
 * @param memtableBytes memory for recent writes, after which they become a file
 * @param memtableCount how many of those there may be, counting those on their way to a file
 * @param backgroundJobs threads that write and merge files
 * @param openFilesMax files that are kept open
 */
record EngineSettings(
        long blockCacheBytes,
        long memtableBytes,
        int memtableCount,
        int backgroundJobs,
        int openFilesMax) {}
