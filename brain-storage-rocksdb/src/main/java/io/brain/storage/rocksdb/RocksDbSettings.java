package io.brain.storage.rocksdb;

import io.brain.options.Option;
import io.brain.options.StorageOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Settings of the RocksDB storage, parsed from its options.
 *
 * @param dataDirectory data directory
 * @param engine RocksDB's resource limits
 * @param batchBytesMax target size of a batch
 * @param ballastBytes reserved disk space; 0 for none
 * @param syncWrites false only to verify durability tests
 */
record RocksDbSettings(
        Path dataDirectory,
        EngineSettings engine,
        long batchBytesMax,
        long ballastBytes,
        boolean syncWrites) {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long TIB = 1L << 40;

    private static final Option<Path> DATA_DIR = Option.path("data-dir", "directory of the store");
    private static final Option<Long> BLOCK_CACHE =
            Option.bytes(
                    "block-cache-size",
                    ofHeap(2, 64, 256),
                    MIB,
                    TIB,
                    "memory for cached blocks and memtables together");
    private static final Option<Long> MEMTABLE =
            Option.bytes(
                    "memtable-size",
                    ofHeap(8, 16, 64),
                    64 * KIB,
                    4 * GIB,
                    "memory for recent writes before they are flushed to a file");
    private static final Option<Integer> MEMTABLES =
            count("memtable-count", "2", 2, 64, "number of memtables, including full ones");
    private static final Option<Integer> JOBS =
            count("background-jobs", "2", 1, 64, "threads that flush and compact");
    private static final Option<Integer> OPEN_FILES =
            count("open-files-max", "512", 16, 1_000_000, "maximum number of open files");
    private static final Option<Long> BATCH =
            Option.bytes(
                    "batch-size-max", "4MiB", MIB, 256 * MIB, "target size of a batch of writes");
    private static final Option<Long> BALLAST =
            Option.bytes(
                    "ballast-size",
                    "16MiB",
                    0,
                    GIB,
                    "reserved disk space, released when the disk is full, so that the store can"
                            + " still be opened and raise an alarm; 0 for none");
    private static final Option<Boolean> SYNC =
            Option.bool(
                            "sync-writes",
                            "true",
                            "false LOSES WRITES in a crash; only for tests of the durability check")
                    .expects("true or false");

    /** All options, in the order of the help. */
    static final List<Option<?>> OPTIONS =
            List.of(
                    DATA_DIR,
                    BLOCK_CACHE,
                    MEMTABLE,
                    MEMTABLES,
                    JOBS,
                    OPEN_FILES,
                    BATCH,
                    BALLAST,
                    SYNC);

    /** The settings for a store that is filled. */
    RocksDbSettings forLoading() {
        return new RocksDbSettings(
                dataDirectory, engine.forLoading(), batchBytesMax, ballastBytes, syncWrites);
    }

    /** A fraction of the maximum heap, within bounds in MiB. */
    private static String ofHeap(int part, long least, long most) {
        long share = Runtime.getRuntime().maxMemory() / part / MIB;
        return Math.max(least, Math.min(share, most)) + "MiB";
    }

    private static Option<Integer> count(
            String name, String fallback, int min, int max, String help) {
        return Option.number(name, fallback, min, max, help).map(Math::toIntExact);
    }

    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException for an option that is unknown, missing or out of its range
     */
    static RocksDbSettings parse(Map<String, String> given) {
        StorageOptions options = new StorageOptions(OPTIONS, given);
        String directory = options.text(DATA_DIR);
        if (directory.isBlank()) {
            throw new IllegalArgumentException("storage option data-dir is missing");
        }
        return new RocksDbSettings(
                Path.of(directory).toAbsolutePath().normalize(),
                new EngineSettings(
                        options.get(BLOCK_CACHE),
                        options.get(MEMTABLE),
                        options.get(MEMTABLES),
                        options.get(JOBS),
                        options.get(OPEN_FILES),
                        false),
                options.get(BATCH),
                options.get(BALLAST),
                options.get(SYNC));
    }
}
