package io.brain.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WarmUpCommandTest {
    @Test
    void everyCallSucceeds() {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int code = WarmUpCommand.run(new PrintStream(errors, true, StandardCharsets.UTF_8));
        assertThat(errors.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(code).isZero();
    }
}
