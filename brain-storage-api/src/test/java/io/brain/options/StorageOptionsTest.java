package io.brain.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StorageOptionsTest {
    private static final Option<Long> SIZE =
            Option.bytes("size", "4MiB", 1 << 10, 1L << 40, "size of it");
    private static final Option<Boolean> SWITCH =
            Option.bool("switch", "true", "turns it on").expects("true or false");
    private static final Option<String> NAME = Option.text("name", "", "name of it");
    private static final List<Option<?>> ALL = List.of(SIZE, SWITCH, NAME);

    @Test
    void defaultsAreUsedForOptionsThatAreNotGiven() {
        StorageOptions options = new StorageOptions(ALL, Map.of("switch", " false "));
        assertThat(options.get(SIZE)).isEqualTo(4 << 20);
        assertThat(options.get(SWITCH)).isFalse();
        assertThat(options.get(NAME)).isEmpty();
    }

    @Test
    void theHelpShowsDefaultsInOrder() {
        assertThat(StorageOptions.help(ALL))
                .containsExactly(
                        Map.entry("size", "size of it (default 4MiB)"),
                        Map.entry("switch", "turns it on (default true)"),
                        Map.entry("name", "name of it"));
    }

    @Test
    void unknownOptionsAreRefused() {
        assertThatThrownBy(() -> new StorageOptions(ALL, Map.of("sise", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown storage option sise; known are [size, switch, name]");
    }

    @ParameterizedTest
    @CsvSource({"2048, 2048", "2KiB, 2048", "2 mib, 2097152", "1TiB, 1099511627776"})
    void sizesTakeUnits(String text, long bytes) {
        assertThat(new StorageOptions(ALL, Map.of("size", text)).get(SIZE)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"''", "1", "-1", "2TiB", "1.5GiB", "2KB", "9999999999GiB", "99999999999999999999"})
    void sizesOutOfRangeAreRefused(String text) {
        StorageOptions options = new StorageOptions(ALL, Map.of("size", text));
        assertThatThrownBy(() -> options.get(SIZE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("storage option size must be from 1024 to 1099511627776, not " + text);
    }
}
