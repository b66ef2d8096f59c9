package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import io.brain.storage.rocksdb.RocksDbStorageFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Threads that write, read and move at once, on RocksDB. */
final class ConsistencyTest {
    private static final int COMMITS = 300;
    private static final int MOVES = 4;
    private static final int KEYS = 20_000;

    @TempDir Path directory;

    private KvStorage rocksdb(String name) {
        return new RocksDbStorageFactory()
                .open(Map.of("data-dir", directory.resolve(name).toString(), "ballast-size", "0"));
    }

    /** The default threads may be fewer than the tasks. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    /** Each commit writes one number to the base and to both prefixes. */
    @Test
    @Timeout(300)
    void everySnapshotSeesOneMomentOfAllStores() throws Exception {
        try (PlacedStorage storage =
                PlacedStorage.open(
                        rocksdb("base"),
                        Map.of("hot", rocksdb("hot"), "cold", rocksdb("cold")),
                        Prefixes.RANGES,
                        Prefixes.ID)) {
            fill(storage);
            AtomicBoolean stop = new AtomicBoolean();
            List<CompletableFuture<Long>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(CompletableFuture.supplyAsync(() -> read(storage, stop), threads));
            }
            CompletableFuture<Void> mover =
                    CompletableFuture.runAsync(() -> moves(storage), threads);
            int number = 0;
            while (number < COMMITS || !mover.isDone()) {
                commit(storage, ++number);
            }
            stop.set(true);
            for (CompletableFuture<Long> reader : readers) {
                assertThat(reader.get()).as("moments seen").isGreaterThan(10);
            }
            mover.get();
        }
    }

    private static void fill(KvStorage storage) {
        WriteBatch.Builder keys = WriteBatch.builder();
        for (int i = 0; i < KEYS; i++) {
            keys.put(Bytes.utf8("a/fill" + i), Bytes.utf8("x".repeat(50)));
        }
        assertThat(Futures.join(storage.commit(keys.build())))
                .isInstanceOf(CommitResult.Committed.class);
    }

    private static void commit(KvStorage storage, int number) {
        WriteBatch.Builder batch = WriteBatch.builder();
        for (String key : new String[] {"number", "a/a", "a/z", "b/n"}) {
            batch.put(Bytes.utf8(key), Bytes.utf8("" + number));
        }
        assertThat(Futures.join(storage.commit(batch.build())))
                .isInstanceOf(CommitResult.Committed.class);
    }

    /** Reads until the end; returns how many different moments it saw. */
    private static long read(KvStorage storage, AtomicBoolean stop) {
        List<Bytes> keys =
                List.of(
                        Bytes.utf8("number"),
                        Bytes.utf8("a/a"),
                        Bytes.utf8("a/z"),
                        Bytes.utf8("b/n"));
        long moments = 0;
        Bytes last = null;
        while (!stop.get()) {
            try (Snapshot snapshot = storage.snapshot()) {
                List<Bytes> values = snapshot.get(keys);
                Bytes first = values.get(0);
                for (int i = 0; i < keys.size(); i++) {
                    assertThat(values.get(i)).isEqualTo(first);
                    assertThat(snapshot.get(keys.get(i))).isEqualTo(first);
                }
                if (first != null && !first.equals(last)) {
                    moments++;
                    last = first;
                }
            }
        }
        return moments;
    }

    private static void moves(PlacedStorage storage) {
        String[][] wanted = {{"a/", "hot"}, {"b/", "cold"}, {"a/", "cold"}, {"a/", "base"}};
        for (int i = 0; i < MOVES; i++) {
            storage.place(Bytes.utf8(wanted[i][0]), wanted[i][1]);
            while (storage.placements().stream()
                    .anyMatch(one -> one.placement().state() != Placement.State.PLACED)) {
                Thread.onSpinWait();
            }
        }
    }
}
