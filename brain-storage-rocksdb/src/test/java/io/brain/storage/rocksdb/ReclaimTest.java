package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** The room of what was deleted comes back after a hint, behind everything else. */
@Timeout(60)
final class ReclaimTest {
    private static final int KEYS = 2000;
    private static final int VALUE_BYTES = 10_000;

    @TempDir Path directory;

    /** 20 MB that cannot be compressed, in tables; then nine of ten keys are deleted. */
    @BeforeEach
    void fillAndDelete() {
        Random random = new Random(1);
        try (KvStorage store = open()) {
            for (int key = 0; key < KEYS; ) {
                WriteBatch.Builder batch = WriteBatch.builder();
                for (int end = key + 100; key < end; key++) {
                    byte[] noise = new byte[VALUE_BYTES];
                    random.nextBytes(noise);
                    batch.put(bytes("k" + key), Bytes.wrap(noise));
                }
                Stores.commit(store, batch);
            }
            WriteBatch.Builder deletes = WriteBatch.builder();
            for (int key = 0; key < KEYS; key++) {
                if (key % 10 != 0) {
                    deletes.delete(bytes("k" + key));
                }
            }
            Stores.commit(store, deletes);
        }
    }

    private RocksDbStorage open() {
        return Stores.open(directory, "memtable-size", "2MiB");
    }

    private long tableBytes() {
        return Stores.files(directory, ".*\\.sst").stream()
                .mapToLong(file -> file.toFile().length())
                .sum();
    }

    private static boolean isAlive() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("rocksdb-reclaim"));
    }

    @Test
    void deletedDataTakesNoRoomAfterTheHint() throws InterruptedException {
        long kept = (long) KEYS / 10 * VALUE_BYTES;
        assertThat(tableBytes()).isGreaterThan(2 * kept);
        try (RocksDbStorage store = open()) {
            store.reclaim();
            for (int i = 0; i < 600 && tableBytes() > kept * 11 / 10; i++) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
            assertThat(tableBytes()).isBetween(kept, kept * 11 / 10);
            assertThat(Stores.count(store)).isEqualTo(KEYS / 10);
        }
    }

    @Test
    void aHintAmongManyDoesNotDelayTheClose() throws InterruptedException {
        RocksDbStorage store = open();
        for (int i = 0; i < 10_000; i++) {
            store.reclaim();
        }
        long begin = System.nanoTime();
        store.close();
        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(10));
        for (int i = 0; i < 200 && isAlive(); i++) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(isAlive()).isFalse();
    }

    @Test
    void aRunningCompactionEndsWhenTheEngineIsShut() throws Exception {
        boolean ended = false;
        for (int i = 0; i < 10 && !ended; i++) { // it may be over too soon
            ended = endsWhenShut(directory.resolve("shut " + i));
        }
        assertThat(ended).isTrue();
    }

    private static boolean endsWhenShut(Path place) throws Exception {
        RocksDbSettings settings = Stores.settings(place);
        Engine engine = Engine.open(place, settings.engine(), 1, false, true);
        for (int table = 0; table < 6; table++) {
            engine.write(BatchEncoder.encode(noise(table)), false);
            engine.flush();
        }
        CompletableFuture<Void> compacted =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                engine.reclaim();
                            } catch (RocksDBException stopped) {
                                throw new CompletionException(stopped);
                            }
                        });
        while (!compacted.isDone() && engine.stats().get("running_compactions") == 0) {
            Thread.onSpinWait();
        }
        engine.shut();
        try {
            compacted.join();
            return false;
        } catch (CompletionException stopped) {
            assertThat(stopped).hasMessageContaining("Incomplete");
            return true;
        } finally {
            engine.free();
        }
    }

    /** 10 MB under the same keys, so that tables have to be merged. */
    private static WriteBatch noise(int seed) {
        Random random = new Random(seed);
        WriteBatch.Builder batch = WriteBatch.builder();
        for (int key = 0; key < 1000; key++) {
            byte[] noise = new byte[VALUE_BYTES];
            random.nextBytes(noise);
            batch.put(bytes("k" + key), Bytes.wrap(noise));
        }
        return batch.build();
    }

    @Test
    void nothingIsDoneWhereThereIsNoRoomToDoIt() throws Exception {
        RocksDbSettings settings = Stores.settings(directory);
        // Opened for scarce room it merges nothing by itself.
        Engine engine =
                Engine.open(directory.resolve("rocksdb"), settings.engine(), 1, false, false);
        EngineSlot slot = new EngineSlot(engine, EngineSlot.Timeouts.STANDARD);
        engine.flush();
        long before = engine.tableBytes();
        reclaim(slot, before);
        assertThat(engine.tableBytes()).isEqualTo(before);
        reclaim(slot, 2 * before);
        assertThat(engine.tableBytes()).isLessThan(before / 2);
        slot.close();
        assertThat(slot.awaitReaders()).isTrue();
        engine.free();
    }

    private static void reclaim(EngineSlot slot, long usableBytes) throws InterruptedException {
        try (Reclaimer reclaimer = new Reclaimer(slot, () -> usableBytes)) {
            reclaimer.hint();
        }
        while (isAlive()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
