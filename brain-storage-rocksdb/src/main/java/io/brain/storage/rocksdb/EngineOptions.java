package io.brain.storage.rocksdb;

import java.util.List;
import java.util.Properties;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.Status;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;

/** RocksDB's options; docs/decisions/0019-rocksdb-settings.md has the measurements. */
final class EngineOptions {
    private static final long MIB = 1L << 20;

    /** A table with a window of this many records, half of them deletes, is compacted soon. */
    private static final int DELETES_WINDOW = 8192;

    /** 16 shards: each holds many blocks, with little lock contention. */
    private static final int CACHE_SHARD_BITS = 4;

    /** Size of an index or filter partition; some 3000 keys of a filter. */
    private static final int METADATA_BYTES = 4096;

    /** Size of a memtable's filter relative to it: some 20 bits for a record of 100 bytes. */
    private static final double MEMTABLE_FILTER = 0.025;

    private EngineOptions() {}

    /**
     * Options of every open RocksDB.
     *
     * @param memtableBytes size of a memtable, which may differ from the settings
     * @param natives becomes the owner of all that is created
     */
    static Options of(EngineSettings settings, long memtableBytes, Natives natives) {
        long memtables = memtableBytes * settings.memtableCount();
        // Memtables are charged to the cache: one limit for both. It cannot be changed later, so a
        // memtable that is larger for a while adds no more than itself.
        long usual = 2 * settings.memtableBytes() * settings.memtableCount();
        LRUCache cache =
                natives.own(
                        new LRUCache(
                                Math.max(settings.blockCacheBytes(), usual)
                                        + memtableBytes
                                        - settings.memtableBytes(),
                                CACHE_SHARD_BITS));
        BlockBasedTableConfig tables =
                new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(16 << 10)
                        .setCacheIndexAndFilterBlocks(true)
                        .setCacheIndexAndFilterBlocksWithHighPriority(true)
                        .setPinL0FilterAndIndexBlocksInCache(true)
                        // Partitioned: the filter of a large table does not fit in a cache shard
                        // and would be read for every key.
                        .setIndexType(IndexType.kTwoLevelIndexSearch)
                        .setPartitionFilters(true)
                        .setMetadataBlockSize(METADATA_BYTES)
                        .setPinTopLevelIndexAndFilter(true)
                        .setFilterPolicy(natives.own(new BloomFilter(10)))
                        .setOptimizeFiltersForMemory(true)
                        .setChecksumType(ChecksumType.kXXH3)
                        .setFormatVersion(7);
        Options options = natives.own(new Options(natives.own(new DBOptions()), columns(natives)));
        options.setTablePropertiesCollectorFactory(List.of(natives.own(deletions())));
        options.setListeners(List.of(natives.own(new NoAutoRecovery())));
        return options.setTableFormatConfig(tables)
                .setWriteBufferManager(natives.own(new WriteBufferManager(memtables, cache)))
                .setWriteBufferSize(memtableBytes)
                .setMaxWriteBufferNumber(settings.memtableCount())
                // A create reads an absent key: answered without a search.
                .setMemtablePrefixBloomSizeRatio(MEMTABLE_FILTER)
                .setMemtableWholeKeyFiltering(true)
                .setMaxBackgroundJobs(settings.backgroundJobs())
                .setMaxOpenFiles(settings.openFilesMax())
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setTargetFileSizeBase(64 * MIB)
                .setMaxBytesForLevelBase(256 * MIB)
                .setBytesPerSync(MIB)
                // A damaged log must be refused, not cut off at the damage: recovery stops at a
                // broken record unless it is the torn end of a log. Recycled log files would need
                // a mode that drops what follows the damage.
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                .setRecycleLogFileNum(0)
                .setMaxTotalWalSize(2 * memtables)
                .setParanoidChecks(true)
                .setMaxManifestFileSize(64 * MIB)
                .setMaxLogFileSize(8 * MIB)
                .setKeepLogFileNum(4)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0);
    }

    /** For a store without compactions: its number of files must not delay writes. */
    static void neverStall(Options options) {
        options.setLevel0SlowdownWritesTrigger(Integer.MAX_VALUE)
                .setLevel0StopWritesTrigger(Integer.MAX_VALUE)
                .setSoftPendingCompactionBytesLimit(0)
                .setHardPendingCompactionBytesLimit(0);
    }

    /**
     * A memtable continues from where it inserted the last record of the same range: the sorted
     * records of a batch are then inserted without a search, also between existing ones.
     */
    private static ColumnFamilyOptions columns(Natives natives) {
        Properties properties = new Properties();
        properties.setProperty(
                "memtable_insert_with_hint_prefix_extractor", "rocksdb.FixedPrefix.4");
        return natives.own(ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties));
    }

    private static TablePropertiesCollectorFactory deletions() {
        return TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(
                DELETES_WINDOW, DELETES_WINDOW / 2, 0);
    }

    /**
     * Turns off RocksDB's recovery from errors of flushes and compactions: it waits until the disk
     * has space, and a write that waits for a flush waits with it. The committer reopens the engine
     * instead. Thread-safe.
     *
     * <p>RocksDB 11.8 has reasons that its Java enum lacks: a failed flush has one. Then this
     * method is not called; an exception is printed, which RocksDB takes for false, too.
     */
    private static final class NoAutoRecovery extends AbstractEventListener {
        NoAutoRecovery() {
            super(EnabledEventCallback.ON_ERROR_RECOVERY_BEGIN);
        }

        @Override
        public boolean onErrorRecoveryBegin(BackgroundErrorReason reason, Status error) {
            return false;
        }
    }
}
