package io.brain.admin.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private long now;

    @Test
    void theBarIsRedrawnAtMostTenTimesASecondAndCleared() {
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        ProgressBar bar =
                new ProgressBar(new PrintStream(terminal, true, StandardCharsets.UTF_8), () -> now);
        bar.show("keys", 0);
        now = 50_000_000;
        bar.show("keys", 0.2);
        now = 150_000_000;
        bar.show("keys", 0.5);
        bar.show("keys", 1);
        bar.clear();
        String[] written = terminal.toString(StandardCharsets.UTF_8).split("\r");
        assertThat(written)
                .containsExactly(
                        "",
                        "keys     [" + ".".repeat(30) + "]   0 %",
                        "keys     [" + "#".repeat(15) + ".".repeat(15) + "]  50 %",
                        "keys     [" + "#".repeat(30) + "] 100 %",
                        " ".repeat(47));
    }
}
