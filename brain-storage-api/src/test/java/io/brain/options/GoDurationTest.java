package io.brain.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTest {
    @ParameterizedTest
    @CsvSource({
        "0,PT0S",
        "10m,PT10M",
        "1h30m,PT1H30M",
        "1.5s,PT1.5S",
        ".5s,PT0.5S",
        "5.s,PT5S",
        "100ms,PT0.1S",
        "2us,PT0.000002S",
        "2µs,PT0.000002S",
        "3ns,PT0.000000003S",
        "-2s,PT-2S",
        "+2s,PT2S",
        "2540400h,PT2540400H"
    })
    void whatGoReadsIsRead(String text, Duration duration) {
        assertThat(GoDuration.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "m", "1d", "1m ", " 1m", "1m30", "-", "1..5s", "2700000h"})
    void whatGoRefusesIsRefused(String text) {
        assertThatThrownBy(() -> GoDuration.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
