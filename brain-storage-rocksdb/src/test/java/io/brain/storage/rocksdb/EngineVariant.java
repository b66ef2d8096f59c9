package io.brain.storage.rocksdb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.IndexType;
import org.rocksdb.Options;
import org.rocksdb.TablePropertiesCollectorFactory;

/** The store's own settings with some of them changed, each by {@code name=value}. */
final class EngineVariant {
    private static final long MIB = 1L << 20;

    private EngineVariant() {}

    /** Everything is an eighth of what a server with 512 MiB has, so that levels fill soon. */
    static Options options(String[] changes, Natives natives) {
        EngineSettings settings = new EngineSettings(32 * MIB, 8 * MIB, 2, 2, 512, false);
        Options options =
                EngineOptions.of(settings, settings.memtableBytes(), natives)
                        .setTargetFileSizeBase(8 * MIB)
                        .setMaxBytesForLevelBase(32 * MIB)
                        .setCreateIfMissing(true);
        BlockBasedTableConfig tables = (BlockBasedTableConfig) options.tableFormatConfig();
        for (String change : changes) {
            String[] pair = change.split("=", 2);
            apply(options, tables, pair[0], pair[1], natives);
        }
        return options.setTableFormatConfig(tables);
    }

    private static void apply(
            Options options,
            BlockBasedTableConfig tables,
            String name,
            String value,
            Natives natives) {
        switch (name) {
            case "settings" -> {} // a name for the store's own
            case "upper" -> options.setCompressionType(type(value));
            case "bottom" -> options.setBottommostCompressionType(type(value));
            case "level01" -> {
                List<CompressionType> levels =
                        new ArrayList<>(Collections.nCopies(7, CompressionType.LZ4_COMPRESSION));
                levels.set(0, type(value));
                levels.set(1, type(value));
                options.setCompressionPerLevel(levels);
            }
            case "dictionary" ->
                    options.setBottommostCompressionOptions(
                            natives.own(new CompressionOptions())
                                    .setEnabled(true)
                                    .setMaxDictBytes(Integer.parseInt(value))
                                    .setZStdMaxTrainBytes(100 * Integer.parseInt(value)));
            case "bloom" ->
                    tables.setFilterPolicy(
                            value.equals("0")
                                    ? null
                                    : natives.own(new BloomFilter(Integer.parseInt(value))));
            case "partitioned" ->
                    tables.setIndexType(IndexType.kTwoLevelIndexSearch)
                            .setPartitionFilters(true)
                            .setPinTopLevelIndexAndFilter(true);
            case "block" -> tables.setBlockSize(Long.parseLong(value) << 10);
            case "deletions" -> {
                long window = Long.parseLong(value);
                options.setTablePropertiesCollectorFactory(
                        window == 0
                                ? List.of()
                                : List.of(
                                        natives.own(
                                                TablePropertiesCollectorFactory
                                                        .NewCompactOnDeletionCollectorFactory(
                                                                window, window / 2, 0))));
            }
            case "dynamic" ->
                    options.setLevelCompactionDynamicLevelBytes(Boolean.parseBoolean(value));
            case "base" -> options.setMaxBytesForLevelBase(Long.parseLong(value) * MIB);
            case "file" -> options.setTargetFileSizeBase(Long.parseLong(value) * MIB);
            case "jobs" -> options.setMaxBackgroundJobs(Integer.parseInt(value));
            case "parts" -> options.setMaxSubcompactions(Integer.parseInt(value));
            case "trigger" -> options.setLevel0FileNumCompactionTrigger(Integer.parseInt(value));
            case "sync" -> options.setBytesPerSync(Long.parseLong(value) * MIB);
            case "memtables" -> options.setMaxWriteBufferNumber(Integer.parseInt(value));
            default -> throw new IllegalArgumentException(name);
        }
    }

    private static CompressionType type(String name) {
        return switch (name) {
            case "none" -> CompressionType.NO_COMPRESSION;
            case "lz4" -> CompressionType.LZ4_COMPRESSION;
            case "zstd" -> CompressionType.ZSTD_COMPRESSION;
            default -> throw new IllegalArgumentException(name);
        };
    }
}
