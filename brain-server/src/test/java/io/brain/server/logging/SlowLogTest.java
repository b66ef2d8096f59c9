package io.brain.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlowLogTest {
    private static final long MILLI = 1_000_000;

    private final List<String> lines = new ArrayList<>();
    private long now = Long.MAX_VALUE - 500 * MILLI; // nanoTime may overflow
    private final SlowLog log = new SlowLog(Duration.ofMillis(100), () -> now, lines::add);

    @Test
    void onlyLongerThanTheLimitIsSlow() {
        assertThat(log.isSlow(100 * MILLI)).isFalse();
        assertThat(log.isSlow(100 * MILLI + 1)).isTrue();
    }

    @Test
    void atMostOneLinePerSecondCountsTheSuppressedOnes() {
        log.write("first");
        now += 999 * MILLI;
        log.write("second");
        log.write("third");
        now += MILLI;
        log.write("fourth");
        now += 1000 * MILLI;
        log.write("fifth");
        assertThat(lines)
                .containsExactly(
                        "first limit=100ms",
                        "fourth limit=100ms suppressed=2",
                        "fifth limit=100ms");
    }
}
