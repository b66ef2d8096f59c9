package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.brain.server.config.BrainConfig.PlacedStore;
import io.brain.server.config.BrainConfig.Storage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacedStoreFlagTest {
    private static BrainConfig read(String... flags) {
        return CommandLineReader.read(List.of(flags), Map.of()).config();
    }

    @Test
    void aServerHasNoPlacedStoresByDefault() {
        assertThat(read().storage().placed()).isEmpty();
    }

    @Test
    void storesAreDirectoriesOrKeyspaces() {
        assertThat(
                        read(
                                        "--placed-store=hot=rocksdb:/disk2/hot",
                                        "--placed-store=far=tikv:pd1:2379,pd2:2379/events")
                                .storage()
                                .placed())
                .containsExactly(
                        new PlacedStore(
                                "far",
                                new Storage(
                                        "tikv",
                                        Path.of(""),
                                        Map.of("pd-endpoints", "pd1:2379,pd2:2379")),
                                "events"),
                        new PlacedStore(
                                "hot",
                                new Storage("rocksdb", Path.of("/disk2/hot"), Map.of()),
                                ""));
    }

    @Test
    void theEnvironmentNamesStoresToo() {
        Map<String, String> environment = Map.of("BRAIN_PLACED_STORE", "hot=rocksdb:/h");
        BrainConfig config = CommandLineReader.read(List.of(), environment).config();
        assertThat(config.storage().placed()).extracting(PlacedStore::name).containsExactly("hot");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hot=/dir",
                "hot=rocksdb:",
                "base=rocksdb:/d",
                "Hot=rocksdb:/d",
                "hot=tikv:pd:1",
                "hot=tikv:pd:1/",
                "hot=tikv:/k",
                "hot=tikv:pd:1/a b",
                "hot"
            })
    void whatIsNoStoreIsRefused(String text) {
        ConfigException refused =
                assertThrows(ConfigException.class, () -> read("--placed-store=" + text));
        assertThat(refused.getMessage()).contains("placed-store").doesNotContain("\n");
    }

    @Test
    void aSharedStoragePlacesNothing() {
        ConfigException refused =
                assertThrows(
                        ConfigException.class,
                        () ->
                                read(
                                        "--storage=tikv",
                                        "--pd-endpoints=pd:2379",
                                        "--initial-advertise-peer-urls=http://a:2380",
                                        "--placed-store=hot=rocksdb:/d"));
        assertThat(refused).hasMessage("--placed-store requires --storage rocksdb");
    }
}
