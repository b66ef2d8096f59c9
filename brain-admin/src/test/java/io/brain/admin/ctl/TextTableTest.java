package io.brain.admin.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTableTest {
    @Test
    void columnsAreAsWideAsTheyMustBe() {
        TextTable table = new TextTable("KEY", ">COUNT").row("/a", "1").row("/long/key", "12345");
        assertThat(table.toString())
                .isEqualTo(
                        """
                        KEY        COUNT
                        /a             1
                        /long/key  12345
                        """);
    }

    @Test
    void aKeyDoesNotMoveTheCursor() {
        assertThat(new TextTable("K").row("a\u001b[2J\nb").toString())
                .isEqualTo("K\na\\x1b[2J\\x0ab\n");
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1536, 1.5 KiB", "5368709120, 5.0 GiB"})
    void sizesHaveUnits(double bytes, String text) {
        assertThat(Units.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0.0000155, 16 us", "0.0125, 12.5 ms", "3, 3.0 s"})
    void timesHaveUnits(double seconds, String text) {
        assertThat(Units.time(seconds)).isEqualTo(text);
    }
}
