package io.brain.storage.tikv;

import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What the fence gains: a transaction for each request against batches of what has queued, and
 * lists of 500 keys while those are written. Prints a table. Run it by {@code test/bench/tikv.sh}.
 */
final class GroupCommitProgram {
    private static final int[] CLIENTS = {1, 64, 300};
    private static final int WRITERS_BESIDE_LISTS = 64;

    private final Map<String, String> options = new HashMap<>();
    private final int seconds;

    private GroupCommitProgram(String pd, int seconds) {
        options.put("pd-endpoints", pd);
        options.put("commit-threads", "256");
        this.seconds = seconds;
    }

    /** PD's address, the seconds for each line, and how often. */
    public static void main(String[] arguments) throws Exception {
        GroupCommitProgram program =
                new GroupCommitProgram(arguments[0], Integer.parseInt(arguments[1]));
        for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
            program.writes();
            program.lists();
        }
    }

    private KvStorage open() {
        return new TikvStorageFactory().open(options);
    }

    private void writes() throws Exception {
        for (int clients : CLIENTS) {
            for (boolean grouped : new boolean[] {false, true}) {
                try (KvStorage storage = open()) {
                    WriteLoad.fill(storage);
                    WriteLoad load = new WriteLoad(storage, clients, grouped);
                    load.start();
                    TimeUnit.SECONDS.sleep(Math.max(1, seconds / 3));
                    load.restart();
                    long began = System.nanoTime();
                    TimeUnit.SECONDS.sleep(seconds);
                    String row = load.latencies().row((System.nanoTime() - began) / 1e9);
                    double perBatch = load.requestsPerBatch();
                    load.stop();
                    print(
                            "%3d clients, %-13s %s  %6.1f requests/batch",
                            clients, grouped ? "batches" : "one by one", row, perBatch);
                }
            }
        }
    }

    private void lists() throws Exception {
        try (KvStorage storage = open();
                KvStorage other = open()) {
            WriteLoad.fill(storage);
            list("no writes", storage, storage::snapshot);
            WriteLoad load = new WriteLoad(storage, WRITERS_BESIDE_LISTS, true);
            load.start();
            while (load.readPoint() == 0) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            load.restart();
            long began = System.nanoTime();
            list("at the read point", storage, () -> storage.snapshotAt(load.readPoint()));
            list("there, by another", other, () -> other.snapshotAt(load.readPoint()));
            list("at a new timestamp", other, other::snapshot);
            String row = load.latencies().row((System.nanoTime() - began) / 1e9);
            load.stop();
            print("  meanwhile %d clients wrote: %s", WRITERS_BESIDE_LISTS, row);
        }
    }

    private void list(String name, KvStorage storage, Supplier<Snapshot> point) {
        measureLists(point, Math.max(1, seconds / 3));
        long met = storage.stats().get("locks_met");
        Latencies latencies = measureLists(point, seconds);
        met = storage.stats().get("locks_met") - met;
        print(
                "list of %d, %-19s %s  %5.2f locks met/list",
                WriteLoad.KEYS, name, latencies.row(seconds), met / (double) latencies.count());
    }

    private static Latencies measureLists(Supplier<Snapshot> point, int seconds) {
        Latencies latencies = new Latencies();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            long began = System.nanoTime();
            int found = 0;
            try (Snapshot snapshot = point.get();
                    Cursor cursor =
                            snapshot.cursor(WriteLoad.versions(), Cursor.Direction.FORWARD)) {
                while (cursor.next()) {
                    found += cursor.value().length() > 0 ? 1 : 0;
                }
            }
            if (found != WriteLoad.KEYS) {
                throw new IllegalStateException("a list of " + found);
            }
            latencies.add(System.nanoTime() - began);
        }
        return latencies;
    }

    private static void print(String format, Object... what) {
        System.out.println(String.format(Locale.ROOT, format, what));
    }
}
