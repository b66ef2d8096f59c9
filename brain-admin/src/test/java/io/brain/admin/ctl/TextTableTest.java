package io.brain.admin.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTableTest {
    @Test
    void columnsAreAsWideAsTheirContent() {
        String table =
                TextTable.of(
                        List.of(row("/a", 1), row("/long/key", 12345)), "KEY=key, COUNT=count");
        assertThat(table)
                .isEqualTo(
                        """
                        KEY        COUNT
                        /a             1
                        /long/key  12345
                        """);
    }

    @Test
    void controlCharactersAreEscaped() {
        JsonObject row = row("a\u001b[2J\nb", 1);
        assertThat(TextTable.of(List.of(row), "K=key")).isEqualTo("K\na\\x1b[2J\\x0ab\n");
        assertThat(TextTable.pairs(row, "key")).isEqualTo("key  a\\x1b[2J\\x0ab\n");
    }

    private static JsonObject row(String key, int count) {
        JsonObject row = new JsonObject();
        row.addProperty("key", key);
        row.addProperty("count", count);
        return row;
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1536, 1.5 KiB", "5368709120, 5.0 GiB"})
    void sizesHaveUnits(double bytes, String text) {
        assertThat(TextTable.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0.0000155, 16 us", "0.0125, 12.5 ms", "3, 3.0 s"})
    void timesHaveUnits(double seconds, String text) {
        assertThat(TextTable.time(seconds)).isEqualTo(text);
    }
}
