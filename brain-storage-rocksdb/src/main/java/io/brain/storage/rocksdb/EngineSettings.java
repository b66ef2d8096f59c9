package io.brain.storage.rocksdb;

/**
 * Resource limits of one open RocksDB.
 *
 * @param blockCacheBytes memory for cached blocks, indexes and filters
 * @param memtableBytes size of a memtable, in bytes
 * @param memtableCount maximum number of memtables, including those being flushed
 * @param backgroundJobs threads that flush and compact
 * @param openFilesMax maximum number of open files
 * @param loading true while a store is filled: no write-ahead log, and compaction at the end
 */
record EngineSettings(
        long blockCacheBytes,
        long memtableBytes,
        int memtableCount,
        int backgroundJobs,
        int openFilesMax,
        boolean loading) {
    /** The settings for a store that is filled. */
    EngineSettings forLoading() {
        return new EngineSettings(
                blockCacheBytes, memtableBytes, memtableCount, backgroundJobs, openFilesMax, true);
    }
}
