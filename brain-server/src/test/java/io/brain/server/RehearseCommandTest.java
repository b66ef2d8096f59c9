package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RehearseCommandTest {
    @Test
    void everyCallOfTheRehearsalIsAnswered() {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int code = RehearseCommand.run(new PrintStream(errors, true, StandardCharsets.UTF_8));
        assertThat(errors.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(code).isZero();
    }
}
