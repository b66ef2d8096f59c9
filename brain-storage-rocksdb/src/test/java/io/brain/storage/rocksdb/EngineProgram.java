package io.brain.storage.rocksdb;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * What RocksDB costs with some settings, under keys and values of the shape that Brain stores:
 * creates, updates and deletes in groups, with compaction of the history behind them. Prints one
 * line. Run it by {@code test/bench/engine.sh}.
 */
final class EngineProgram {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private EngineProgram() {}

    /** The directory, the number of writes, and settings as {@link EngineVariant} knows them. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int writes = Integer.parseInt(arguments[1]);
        String[] changes = Arrays.copyOfRange(arguments, 2, arguments.length);
        NativeLibrary.load();
        try (Natives natives = new Natives()) {
            Options options = EngineVariant.options(changes, natives);
            RocksDB db = natives.own(RocksDB.open(options, directory.toString()));
            System.out.println(String.join(" ", changes) + " | " + measure(db, directory, writes));
        }
    }

    private static String measure(RocksDB db, Path directory, int writes) throws Exception {
        EngineLoad load = new EngineLoad(db);
        load.fill();
        long wrote = writtenBytes();
        long userBytes = load.userBytes();
        long cpu = PROCESS.getProcessCpuTime();
        long begin = System.nanoTime();
        load.churn(writes);
        double seconds = (System.nanoTime() - begin) / 1e9;
        try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
            db.flush(wait);
        }
        long disk = tableBytes(directory);
        awaitIdle(db);
        double cpuMicros = (PROCESS.getProcessCpuTime() - cpu) / 1e3 / writes;
        double amplification = (writtenBytes() - wrote) / (double) (load.userBytes() - userBytes);
        long idleDisk = tableBytes(directory);
        String reads = reads(db, load);
        try (CompactRangeOptions all = new CompactRangeOptions()) {
            all.setBottommostLevelCompaction(
                    CompactRangeOptions.BottommostLevelCompaction.kForceOptimized);
            db.compactRange(null, null, null, all);
        }
        long live = tableBytes(directory);
        Map<String, String> stalls = db.getMapProperty("rocksdb.cf-write-stall-stats");
        return String.format(
                Locale.ROOT,
                "%.0f writes/s, cpu %.1f us/write, commit ms %s, delays %s stops %s, write amp"
                        + " %.1f, disk/live %.2f busy %.2f idle (live %d MB), %s",
                writes / seconds,
                cpuMicros,
                load.latencies(),
                stalls.get("total-delays"),
                stalls.get("total-stops"),
                amplification,
                disk / (double) live,
                idleDisk / (double) live,
                live >> 20,
                reads);
    }

    private static String reads(RocksDB db, EngineLoad load) throws RocksDBException {
        int gets = 20_000;
        load.readSome(db, gets, false);
        long cpu = PROCESS.getProcessCpuTime();
        load.readSome(db, gets, false);
        double hit = (PROCESS.getProcessCpuTime() - cpu) / 1e3 / gets;
        cpu = PROCESS.getProcessCpuTime();
        load.readSome(db, gets, true);
        double miss = (PROCESS.getProcessCpuTime() - cpu) / 1e3 / gets;
        long pairs = 0;
        cpu = PROCESS.getProcessCpuTime();
        try (ReadOptions walk = new ReadOptions();
                RocksIterator all = db.newIterator(walk)) {
            for (all.seekToFirst(); all.isValid(); all.next()) {
                pairs += all.key().length > 0 && all.value().length > 0 ? 1 : 0;
            }
        }
        double scan = (PROCESS.getProcessCpuTime() - cpu) / 1e3 / pairs;
        return String.format(
                Locale.ROOT,
                "get %.1f us, absent %.1f us, scan %.2f us/pair, log front %s ms",
                hit,
                miss,
                scan,
                load.fronts());
    }

    private static void awaitIdle(RocksDB db) throws Exception {
        for (int quiet = 0; quiet < 10; ) {
            Thread.sleep(100);
            long running = db.getLongProperty("rocksdb.num-running-compactions");
            long flushing = db.getLongProperty("rocksdb.num-running-flushes");
            quiet = running + flushing == 0 ? quiet + 1 : 0;
        }
    }

    private static long tableBytes(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** What this process sent to the disk, logs included. */
    private static long writtenBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/io")).stream()
                .filter(line -> line.startsWith("write_bytes: "))
                .mapToLong(line -> Long.parseLong(line.substring("write_bytes: ".length())))
                .sum();
    }
}
