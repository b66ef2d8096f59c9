package io.brain.storage.rocksdb;

import java.util.Map;
import java.util.TreeMap;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Reads RocksDB's statistics. */
final class EngineStats {
    /** RocksDB property by metric name. */
    private static final Map<String, String> NUMBERS =
            Map.ofEntries(
                    Map.entry("write_stopped", "rocksdb.is-write-stopped"),
                    Map.entry(
                            "delayed_write_bytes_per_second", "rocksdb.actual-delayed-write-rate"),
                    Map.entry(
                            "pending_compaction_bytes",
                            "rocksdb.estimate-pending-compaction-bytes"),
                    Map.entry("running_compactions", "rocksdb.num-running-compactions"),
                    Map.entry("running_flushes", "rocksdb.num-running-flushes"),
                    Map.entry("background_errors", "rocksdb.background-errors"),
                    Map.entry("memtable_bytes", "rocksdb.cur-size-all-mem-tables"),
                    Map.entry("block_cache_bytes", "rocksdb.block-cache-usage"),
                    Map.entry("block_cache_pinned_bytes", "rocksdb.block-cache-pinned-usage"),
                    Map.entry("table_reader_bytes", "rocksdb.estimate-table-readers-mem"),
                    Map.entry("live_table_bytes", "rocksdb.live-sst-files-size"),
                    Map.entry("table_bytes", "rocksdb.total-sst-files-size"),
                    Map.entry("snapshots", "rocksdb.num-snapshots"));

    private static final String STALLS = "rocksdb.cf-write-stall-stats";
    private static final String LEVEL_FILES = "rocksdb.num-files-at-level";
    private static final int LEVELS = 7;

    private EngineStats() {}

    static Map<String, Long> read(RocksDB db) {
        Map<String, Long> stats = new TreeMap<>();
        NUMBERS.forEach((name, property) -> put(stats, name, () -> db.getLongProperty(property)));
        put(stats, "write_delays", () -> Long.parseLong(stalls(db).get("total-delays")));
        put(stats, "write_stops", () -> Long.parseLong(stalls(db).get("total-stops")));
        for (int level = 0; level < LEVELS; level++) {
            String property = LEVEL_FILES + level;
            put(stats, "tables_at_level_" + level, () -> Long.parseLong(db.getProperty(property)));
        }
        return stats;
    }

    private static Map<String, String> stalls(RocksDB db) throws RocksDBException {
        return db.getMapProperty(STALLS);
    }

    private static void put(Map<String, Long> stats, String name, Figure figure) {
        try {
            stats.put(name, figure.read());
        } catch (RocksDBException | NumberFormatException unknown) {
            // not reported by this build of RocksDB
        }
    }

    /** A number that may be unavailable. */
    private interface Figure {
        long read() throws RocksDBException;
    }
}
