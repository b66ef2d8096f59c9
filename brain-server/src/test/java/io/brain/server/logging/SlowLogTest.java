package io.brain.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlowLogTest {
    private static final long MILLI = 1_000_000;

    private final List<String> lines = new ArrayList<>();
    private long now = Long.MAX_VALUE - 500 * MILLI; // nanoTime may pass its end
    private final SlowLog log = new SlowLog(Duration.ofMillis(100), () -> now, lines::add);

    @Test
    void onlyWhatTakesLongerThanTheLimitIsSlow() {
        assertThat(log.isSlow(100 * MILLI)).isFalse();
        assertThat(log.isSlow(100 * MILLI + 1)).isTrue();
    }

    @Test
    void aLineASecondSaysHowManyWereLeftOut() {
        log.tell("first");
        now += 999 * MILLI;
        log.tell("second");
        log.tell("third");
        now += MILLI;
        log.tell("fourth");
        now += 1000 * MILLI;
        log.tell("fifth");
        assertThat(lines)
                .containsExactly(
                        "first, expected at most 100 ms",
                        "fourth, expected at most 100 ms; and 2 more like this",
                        "fifth, expected at most 100 ms");
    }
}
