package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What RocksDB itself says it runs with, and what it leaves on the disk. */
final class EngineOptionsTest {
    @TempDir Path directory;

    @Test
    void rocksDbRunsWithWhatTheStoreRelyOn() throws IOException {
        Stores.open(directory, "block-cache-size", "8MiB", "memtable-size", "1MiB").close();

        List<Path> options = Stores.files(directory, "OPTIONS-[0-9]+");
        assertThat(Files.readAllLines(options.get(options.size() - 1)).stream().map(String::strip))
                .contains(
                        "wal_recovery_mode=kTolerateCorruptedTailRecords",
                        "recycle_log_file_num=0",
                        "paranoid_checks=true",
                        "avoid_flush_during_recovery=true",
                        "use_fsync=false",
                        "manual_wal_flush=false",
                        "max_open_files=512",
                        "max_background_jobs=2",
                        "write_buffer_size=1048576",
                        "max_write_buffer_number=2",
                        "keep_log_file_num=4",
                        "max_log_file_size=8388608",
                        "compression=kLZ4Compression",
                        "bottommost_compression=kDisableCompressionOption",
                        "disable_auto_compactions=false",
                        "cache_index_and_filter_blocks=true",
                        "filter_policy=bloomfilter:10:false",
                        "level_compaction_dynamic_level_bytes=true",
                        "format_version=7",
                        "checksum=kXXH3");
    }

    /** The cache keeps its size when the memtable has its usual one again. */
    @Test
    void aLargeMemtableAddsNoMoreThanItselfToTheCache() throws Exception {
        EngineSettings settings = new EngineSettings(8 << 20, 1 << 20, 2, 2, 100, false);
        NativeLibrary.load();
        Engine.open(directory, settings, 100 << 20, false, true).free();
        assertThat(Files.readString(directory.resolve("LOG")))
                .containsPattern("\\bcapacity : " + (108 << 20) + "\\b");
    }

    @Test
    void tablesAreCompressed() throws IOException {
        try (RocksDbStorage store = Stores.openWritingTables(directory)) {
            put(store, "k", "abcdefgh".repeat(125_000));
        }
        assertThat(Files.size(Stores.file(directory, ".*\\.sst"))).isBetween(1L, 200_000L);
    }

    @Test
    void aTableOfManyDeletesIsMergedSoon() throws InterruptedException {
        byte[] noise = new byte[1000];
        Random random = new Random(1);
        try (RocksDbStorage store = Stores.openWritingTables(directory)) {
            WriteBatch.Builder puts = WriteBatch.builder();
            WriteBatch.Builder deletes = WriteBatch.builder();
            for (int i = 0; i < 10_000; i++) {
                random.nextBytes(noise);
                puts.put(bytes("k" + i), Bytes.copyOf(noise, 0, noise.length));
                if (i % 10 != 0) {
                    deletes.delete(bytes("k" + i));
                }
            }
            Stores.commit(store, puts);
            assertThat(store.stats().get("table_bytes")).isGreaterThan(10_000_000);
            Stores.commit(store, deletes);
            for (int i = 0; i < 600 && store.stats().get("table_bytes") > 1_500_000; i++) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
            assertThat(store.stats().get("table_bytes")).isBetween(1_000_000L, 1_500_000L);
            assertThat(Stores.count(store)).isEqualTo(1000);
        }
    }

    @Test
    void manyRestartsLeaveFewFiles() throws IOException {
        for (int i = 0; i < 50; i++) {
            try (RocksDbStorage store = Stores.open(directory)) {
                put(store, "k" + i, "v");
                assertThat(Stores.count(store)).isEqualTo(i + 1);
            }
        }
        assertThat(Stores.files(directory, "LOG.*")).hasSizeLessThanOrEqualTo(5);
        assertThat(Stores.files(directory, "OPTIONS.*")).hasSizeLessThanOrEqualTo(3);
        assertThat(Stores.files(directory, "MANIFEST.*")).hasSizeLessThanOrEqualTo(2);
        assertThat(Stores.files(directory, ".*\\.log")).hasSizeLessThanOrEqualTo(9);
    }

    @Test
    void theLogDoesNotGrowWithWhatIsWritten() throws IOException {
        byte[] noise = new byte[20_000];
        new Random(1).nextBytes(noise);
        try (RocksDbStorage store = Stores.open(directory, "memtable-size", "256KiB")) {
            for (int i = 0; i < 500; i++) {
                WriteBatch.Builder batch = WriteBatch.builder();
                Stores.commit(store, batch.put(bytes("k" + i), Bytes.wrap(noise)));
            }
            long bytes = 0;
            for (Path log : Stores.files(directory, ".*\\.log")) {
                bytes += log.toFile().length(); // 0 if it was deleted since
            }
            assertThat(bytes).isLessThan(2_000_000);
        }
    }
}
