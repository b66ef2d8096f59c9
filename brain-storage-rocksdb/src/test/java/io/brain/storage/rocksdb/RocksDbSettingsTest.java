package io.brain.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.KvStorageFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RocksDbSettingsTest {
    private static final long MIB = 1L << 20;

    @Test
    void theFactoryIsFoundByItsName() {
        assertThat(ServiceLoader.load(KvStorageFactory.class))
                .anyMatch(factory -> factory.name().equals("rocksdb"));
    }

    @Test
    void onlyTheDirectoryMustBeGiven() {
        long heap = Runtime.getRuntime().maxMemory() / MIB;
        long cache = Math.max(64, Math.min(heap / 2, 256));
        long memtable = Math.max(16, Math.min(heap / 8, 64));
        RocksDbSettings settings = RocksDbSettings.parse(Map.of("data-dir", "/some/where"));

        assertThat(settings)
                .isEqualTo(
                        new RocksDbSettings(
                                Path.of("/some/where"),
                                new EngineSettings(cache * MIB, memtable * MIB, 2, 2, 512, false),
                                4 * MIB,
                                16 * MIB,
                                true));
        assertThatThrownBy(() -> RocksDbSettings.parse(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("data-dir");
    }

    @Test
    void everyOptionIsMappedAndHasHelp() {
        Map<String, String> options = new HashMap<>();
        options.put("data-dir", "/d");
        options.put("block-cache-size", "1GiB");
        options.put("memtable-size", "128KiB");
        options.put("memtable-count", "3");
        options.put("background-jobs", "4");
        options.put("open-files-max", "100");
        options.put("batch-size-max", "2mib");
        options.put("ballast-size", "0");
        options.put("sync-writes", "false");

        assertThat(RocksDbSettings.parse(options))
                .isEqualTo(
                        new RocksDbSettings(
                                Path.of("/d"),
                                new EngineSettings(1024 * MIB, 128 << 10, 3, 4, 100, false),
                                2 * MIB,
                                0,
                                false));
        assertThat(new RocksDbStorageFactory().options())
                .containsOnlyKeys(options.keySet())
                .allSatisfy((name, help) -> assertThat(help).isNotBlank().doesNotContain("\n"));
    }

    @Test
    void anUnknownOptionIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> RocksDbSettings.parse(Map.of("data-dir", "/d", "blok-cache", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("blok-cache")
                .hasMessageContaining("block-cache-size");
    }

    @ParameterizedTest
    @CsvSource({
        "block-cache-size, 12",
        "block-cache-size, -1",
        "block-cache-size, 9999999999GiB",
        "block-cache-size, 1.5GiB",
        "memtable-size, much",
        "memtable-count, 1",
        "memtable-count, 2KiB",
        "background-jobs, 0",
        "open-files-max, 3",
        "batch-size-max, 1GiB",
        "ballast-size, 1TiB",
        "ballast-size, ''",
        "sync-writes, yes",
    })
    void aValueOutOfItsRangeIsRefused(String option, String value) {
        assertThatThrownBy(() -> RocksDbSettings.parse(Map.of("data-dir", "/d", option, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option);
    }
}
