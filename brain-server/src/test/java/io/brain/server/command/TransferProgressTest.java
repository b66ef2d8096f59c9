package io.brain.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TransferProgressTest {
    private static final long MB = 1_000_000;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private long now;

    @Test
    void aFileGetsALineEveryTenSeconds() {
        TransferProgress progress = progress(false);
        for (long i = 0; i <= 25; i++) {
            now = TimeUnit.SECONDS.toNanos(i);
            progress.progress("hash", i * 2 * MB, 200 * MB);
        }
        progress.clear();
        assertThat(text().lines())
                .containsExactly(
                        "hash    10 %, 2.0 MB/s, 1 min 30 s left",
                        "hash    20 %, 2.0 MB/s, 1 min 20 s left");
    }

    @Test
    void theRateOfAContinuedStepIsThatOfItsRest() {
        TransferProgress progress = progress(true);
        progress.progress("import", 60 * MB, 100 * MB);
        now = TimeUnit.SECONDS.toNanos(2);
        progress.progress("import", 80 * MB, 100 * MB);
        assertThat(text()).isEqualTo("\rimport  80 %, 10.0 MB/s, 2 s left");
        progress.clear();
        assertThat(text()).endsWith(" \r");
    }

    private TransferProgress progress(boolean terminal) {
        PrintStream printer = new PrintStream(out, true, StandardCharsets.UTF_8);
        return new TransferProgress(printer, terminal, () -> now);
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
