package io.brain.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessFiguresTest {

    private static final String STATUS = "Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n";

    @Test
    void cpuTimeIsReadWhateverTheProgramName() throws IOException {
        String stat = "42 (a) b) (c) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 7 7 20 0 9 0 5 6 7";

        assertThat(ProcessFigures.parse(stat, STATUS))
                .isEqualTo(new ProcessFigures(2_000_000, 1_024, 2_048));
    }

    @Test
    void malformedFilesAreRefused() {
        assertThatThrownBy(() -> ProcessFigures.parse("42 (x) S 1", STATUS))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ProcessFigures.parse("", STATUS)).isInstanceOf(IOException.class);
    }

    @Test
    void thisProcessUsesTimeAndMemory() throws IOException {
        ProcessFigures before = ProcessFigures.of(ProcessHandle.current().pid());
        ProcessFigures after = before;
        // On a busy machine it may take a while until it has got a tick of the clock's.
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (after.cpuMicros() == before.cpuMicros() && System.nanoTime() < end) {
            after = ProcessFigures.of(ProcessHandle.current().pid());
        }

        assertThat(after.cpuMicros()).isGreaterThan(before.cpuMicros());
        assertThat(after.peakKib()).isGreaterThanOrEqualTo(after.rssKib()).isPositive();
    }
}
