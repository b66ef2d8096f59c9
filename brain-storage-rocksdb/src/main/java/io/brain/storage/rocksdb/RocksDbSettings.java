package io.brain.storage.rocksdb;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The options of the RocksDB storage.
 *
 * @param dataDirectory where everything is kept
 * @param engine what RocksDB may use
 * @param batchBytesMax what a batch should not exceed
 * @param ballastBytes size of the file that is given up when the disk is full; 0 for none
 * @param syncWrites false only to show that a test of durability notices it
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

    /** An option with the value it has when it is not given. */
    private record Option(String name, String standard, String help) {}

    private static final Option DATA_DIR = new Option("data-dir", "", "directory of the store");
    private static final Option BLOCK_CACHE =
            new Option(
                    "block-cache-size",
                    ofHeap(2, 64, 256),
                    "memory for blocks read from files and for recent writes together");
    private static final Option MEMTABLE =
            new Option(
                    "memtable-size",
                    ofHeap(8, 16, 64),
                    "memory for recent writes before they go to a file");
    private static final Option MEMTABLES =
            new Option("memtable-count", "2", "number of memtables, full ones included");
    private static final Option JOBS =
            new Option("background-jobs", "2", "threads that flush and compact");
    private static final Option OPEN_FILES =
            new Option("open-files-max", "512", "files that are kept open");
    private static final Option BATCH =
            new Option("batch-size-max", "4MiB", "size that a batch of writes should not exceed");
    private static final Option BALLAST =
            new Option(
                    "ballast-size",
                    "16MiB",
                    "size of a file that is deleted when the disk is full, so that the store can"
                            + " still be opened and raise an alarm; 0 for none");
    private static final Option SYNC =
            new Option(
                    "sync-writes",
                    "true",
                    "false LOSES WRITES in a crash; only for tests of the durability check");

    private static final Map<String, Option> OPTIONS =
            byName(
                    DATA_DIR,
                    BLOCK_CACHE,
                    MEMTABLE,
                    MEMTABLES,
                    JOBS,
                    OPEN_FILES,
                    BATCH,
                    BALLAST,
                    SYNC);

    /** A part of the heap, so that a small process stays small, within bounds in MiB. */
    private static String ofHeap(int part, long least, long most) {
        long share = Runtime.getRuntime().maxMemory() / part / MIB;
        return Math.max(least, Math.min(share, most)) + "MiB";
    }

    /** A line of help for each option, in the order to show them in. */
    static Map<String, String> help() {
        Map<String, String> help = new LinkedHashMap<>();
        OPTIONS.forEach(
                (name, option) -> {
                    boolean shown = !option.standard().isEmpty();
                    String standard = shown ? " (default " + option.standard() + ")" : "";
                    help.put(name, option.help() + standard);
                });
        return Collections.unmodifiableMap(help);
    }

    /**
     * The settings that the options say.
     *
     * @throws IllegalArgumentException for an option that is unknown, missing or out of its range
     */
    static RocksDbSettings parse(Map<String, String> options) {
        for (String name : options.keySet()) {
            if (!OPTIONS.containsKey(name)) {
                throw new IllegalArgumentException(
                        "unknown storage option " + name + "; known are " + OPTIONS.keySet());
            }
        }
        String directory = options.getOrDefault(DATA_DIR.name(), "");
        if (directory.isBlank()) {
            throw new IllegalArgumentException("storage option data-dir is missing");
        }
        EngineSettings engine =
                new EngineSettings(
                        size(options, BLOCK_CACHE, MIB, TIB),
                        size(options, MEMTABLE, 64 * KIB, 4 * GIB),
                        count(options, MEMTABLES, 2, 64),
                        count(options, JOBS, 1, 64),
                        count(options, OPEN_FILES, 16, 1_000_000));
        return new RocksDbSettings(
                Path.of(directory).toAbsolutePath().normalize(),
                engine,
                size(options, BATCH, MIB, 256 * MIB),
                size(options, BALLAST, 0, GIB),
                truth(options, SYNC));
    }

    private static Map<String, Option> byName(Option... options) {
        Map<String, Option> byName = new LinkedHashMap<>();
        for (Option option : options) {
            byName.put(option.name(), option);
        }
        return byName;
    }

    private static String text(Map<String, String> options, Option option) {
        return options.getOrDefault(option.name(), option.standard()).trim();
    }

    private static boolean truth(Map<String, String> options, Option option) {
        String text = text(options, option);
        if (!text.equals("true") && !text.equals("false")) {
            throw wrong(option, text, "true or false");
        }
        return text.equals("true");
    }

    private static int count(Map<String, String> options, Option option, int min, int max) {
        String text = text(options, option);
        return (int) inRange(option, text, number(text), min, max);
    }

    private static long size(Map<String, String> options, Option option, long min, long max) {
        String text = text(options, option);
        String lower = text.toLowerCase(Locale.ROOT);
        long unit = 1;
        if (lower.endsWith("kib")) {
            unit = KIB;
        } else if (lower.endsWith("mib")) {
            unit = MIB;
        } else if (lower.endsWith("gib")) {
            unit = GIB;
        }
        long number = number(unit == 1 ? lower : lower.substring(0, lower.length() - 3).trim());
        return inRange(option, text, number > TIB / unit ? -1 : number * unit, min, max);
    }

    /** The number that {@code digits} are; -1 if they are not one. */
    private static long number(String digits) {
        return digits.matches("[0-9]{1,15}") ? Long.parseLong(digits) : -1;
    }

    private static long inRange(Option option, String text, long value, long min, long max) {
        if (value < min || value > max) {
            throw wrong(option, text, "from " + min + " to " + max);
        }
        return value;
    }

    private static IllegalArgumentException wrong(Option option, String text, String expected) {
        return new IllegalArgumentException(
                "storage option " + option.name() + " must be " + expected + ", not " + text);
    }
}
