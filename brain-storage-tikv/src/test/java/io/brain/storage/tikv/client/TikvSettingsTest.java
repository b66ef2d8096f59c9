package io.brain.storage.tikv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.KvStorageFactory;
import io.brain.storage.tikv.TikvStorageFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TikvSettingsTest {
    private static final Map<String, String> PD = Map.of("pd-endpoints", "pd:2379");

    private static Map<String, String> with(String... options) {
        Map<String, String> all = new HashMap<>(PD);
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        return all;
    }

    @Test
    void theFactoryIsFoundByItsName() {
        assertThat(ServiceLoader.load(KvStorageFactory.class))
                .anyMatch(factory -> factory.name().equals("tikv"));
    }

    @Test
    void onlyTheEndpointsOfPdMustBeGiven() {
        assertThat(TikvSettings.parse(with("data-dir", "/unused")))
                .isEqualTo(
                        new TikvSettings(
                                new TikvSettings.Network(List.of("pd:2379"), Map.of(), null),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(3),
                                8,
                                2 << 20,
                                new TikvSettings.Gc(
                                        true, Duration.ofMinutes(1), Duration.ofMinutes(10))));
        assertThatThrownBy(() -> TikvSettings.parse(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pd-endpoints");
    }

    @Test
    void everyOptionIsMappedAndHasHelp() {
        Map<String, String> options =
                with(
                        "data-dir", "/unused",
                        "pd-endpoints", "a:1, b:2",
                        "address-map", "b:2=x:22, store:3=x:33",
                        "rpc-timeout-ms", "100",
                        "read-timeout-ms", "200",
                        "commit-timeout-ms", "300",
                        "lock-ttl-ms", "400",
                        "commit-threads", "5",
                        "batch-size-max-mib", "6",
                        "gc", "false",
                        "gc-interval-ms", "700",
                        "gc-life-time-ms", "800",
                        "ca-file", "ca.pem",
                        "cert-file", "cert.pem",
                        "key-file", "key.pem");

        assertThat(TikvSettings.parse(options))
                .isEqualTo(
                        new TikvSettings(
                                new TikvSettings.Network(
                                        List.of("a:1", "b:2"),
                                        Map.of("b:2", "x:22", "store:3", "x:33"),
                                        new TikvSettings.Tls("ca.pem", "cert.pem", "key.pem")),
                                Duration.ofMillis(100),
                                Duration.ofMillis(200),
                                Duration.ofMillis(300),
                                Duration.ofMillis(400),
                                5,
                                6 << 20,
                                new TikvSettings.Gc(
                                        false, Duration.ofMillis(700), Duration.ofMillis(800))));
        assertThat(new TikvStorageFactory().options())
                .containsOnlyKeys(options.keySet())
                .allSatisfy((name, help) -> assertThat(help).isNotBlank().doesNotContain("\n"));
    }

    @Test
    void anAddressThatIsNotMappedIsReachedByItsName() {
        TikvSettings.Network network =
                TikvSettings.parse(with("address-map", "store:3=x:33")).network();
        assertThat(network.reached("store:3")).isEqualTo("x:33");
        assertThat(network.reached("store:4")).isEqualTo("store:4");
    }

    @Test
    void filesForTlsThatDoNotMakeAWholeAreRefused() {
        List<String> all = List.of("ca-file", "cert-file", "key-file");
        for (String one : all) {
            assertRefused(with(one, "x"));
            assertRefused(
                    with(
                            all.stream()
                                    .filter(file -> !file.equals(one))
                                    .flatMap(file -> java.util.stream.Stream.of(file, "x"))
                                    .toArray(String[]::new)));
        }
    }

    private static void assertRefused(Map<String, String> options) {
        assertThatThrownBy(() -> TikvSettings.parse(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be set together");
    }

    @Test
    void anUnknownOptionIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> TikvSettings.parse(with("pd-endpoint", "x:1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pd-endpoint")
                .hasMessageContaining("rpc-timeout-ms");
    }

    @ParameterizedTest
    @CsvSource({
        "pd-endpoints, ''",
        "pd-endpoints, pd",
        "pd-endpoints, http://pd:2379",
        "pd-endpoints, 'pd:2379,'",
        "address-map, a:1",
        "address-map, a:1=b",
        "address-map, 'a:1=b:1,'",
        "rpc-timeout-ms, 0",
        "read-timeout-ms, 10s",
        "commit-timeout-ms, -1",
        "lock-ttl-ms, 9999999",
        "commit-threads, 0",
        "gc, yes",
        "gc-interval-ms, 0",
        "gc-life-time-ms, 10m",
        "batch-size-max-mib, 2MiB",
    })
    void aValueOutOfItsRangeIsRefused(String option, String value) {
        assertThatThrownBy(() -> TikvSettings.parse(with(option, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option);
    }
}
