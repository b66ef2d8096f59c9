package io.brain.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.bench.shape.Catalogue;
import io.brain.bench.shape.Shape;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class OptionsTest {

    private static final String SERVER = "--server=etcd=1@127.0.0.1:2379";

    @Test
    void theUsualLoadsAreTheDefault() {
        Options options = parse(SERVER, "--server=brain=2@127.0.0.1:2380");

        assertThat(options.servers())
                .extracting(ServerAddress::name)
                .containsExactly("etcd", "brain");
        assertThat(options.loads()).hasSize(10).startsWith(Catalogue.PUT, Catalogue.CREATE);
        assertThat(options.settings().measured()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.sizes().clients()).containsExactly(1, 64, 300, 1_000);
        assertThat(options.rounds().mixedWarmUp()).isEqualTo(Duration.ofSeconds(20));
        assertThat(options.rounds().seed()).isNotNegative();
    }

    @Test
    void allOptionsAreRead() {
        Options options =
                parse(
                        SERVER,
                        "--shapes",
                        "get,watch,get",
                        "--clients",
                        "3,5",
                        "--seconds",
                        "0.5",
                        "--rounds",
                        "2",
                        "--warm-round",
                        "no",
                        "--client",
                        "lean",
                        "--seed",
                        "4711",
                        "--mixed-warm-up",
                        "0.5",
                        "--json",
                        "results");

        assertThat(options.loads()).containsExactly(Catalogue.GET, Catalogue.WATCH);
        assertThat(options.sizes().clients()).containsExactly(3, 5);
        assertThat(options.settings().measured()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.settings().lean()).isTrue();
        assertThat(options.rounds().count()).isEqualTo(2);
        assertThat(options.rounds().warmUp()).isFalse();
        assertThat(options.rounds().seed()).isEqualTo(4_711);
        assertThat(options.rounds().mixedWarmUp()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.json()).hasToString("results");
    }

    @Test
    void everyLoadHasShapes() {
        Options options = parse(SERVER, "--shapes", "all");

        assertThat(options.loads()).containsExactly(Catalogue.values());
        assertThat(options.loads())
                .allSatisfy(load -> assertThat(load.shapes(options.sizes())).isNotEmpty());
    }

    @Test
    void loadsHaveAShapeForEachOfTheirSizes() {
        Options options =
                parse(
                        SERVER,
                        "--shapes=versions,first-list,keys-only",
                        "--versions=1,50",
                        "--background-rate=70.5",
                        "--list-clients=3");

        assertThat(options.loads())
                .containsExactly(Catalogue.VERSIONS, Catalogue.FIRST_LIST, Catalogue.KEYS_ONLY);
        assertThat(Catalogue.VERSIONS.shapes(options.sizes()))
                .extracting(Shape::label)
                .containsExactly(
                        "list-limit of 500, 1 version, 3 clients",
                        "list-limit of 500, 50 versions, 3 clients",
                        "list-all of 500, 1 version, 3 clients",
                        "list-all of 500, 50 versions, 3 clients");
        assertThat(options.settings().backgroundRate()).isEqualTo(70.5);
    }

    @ParameterizedTest
    @CsvSource({
        "--clients, 0",
        "--clients, 1.5",
        "--rounds, x",
        "--seed, -1",
        "--mixed-warm-up, 601",
        "--shapes, nothing",
        "--client, other",
        "--read-share, 2",
        "--versions, 0",
        "--background-rate, -1",
        "--seconds, -1"
    })
    void invalidOptionsAreRefused(String name, String value) {
        assertThatThrownBy(() -> parse(SERVER, name, value))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aServerIsRequiredAndNamesAreDistinct() {
        assertThatThrownBy(OptionsTest::parse).hasMessageContaining("--server");
        assertThatThrownBy(() -> parse(SERVER, SERVER)).hasMessageContaining("must be distinct");
    }

    private static Options parse(String... args) {
        return Options.of(
                new CommandLine(Options.spec()).parseArgs(Stream.of(args).toArray(String[]::new)));
    }
}
