package io.brain.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShutdownSignalTest {
    private final ShutdownSignal signal = new ShutdownSignal();

    @Test
    void theProcessExitsWithTheCodeOfTheProgram() {
        assertThat(signal.run(() -> 2)).isEqualTo(2);
        assertThat(signal.isFinished()).isTrue();
    }

    @Test
    void theProcessExitsIfTheProgramFailsUnexpectedly() {
        assertThat(
                        signal.run(
                                () -> {
                                    throw new OutOfMemoryError("for a test");
                                }))
                .isEqualTo(1);
        assertThat(signal.isFinished()).isTrue();
    }
}
