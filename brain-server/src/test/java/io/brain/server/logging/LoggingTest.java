package io.brain.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.config.CommandLineReader;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoggingTest {
    private static final int LINES = 12_000;

    @Test
    void aReaderThatStopsHoldsNobodyUp() throws Exception {
        Pipe pipe = new Pipe();
        PrintStream errors = System.err;
        long dropped = Logging.dropped();
        try {
            System.setErr(new PrintStream(pipe, true, StandardCharsets.UTF_8));
            Logging.configure(CommandLineReader.read(List.of(), Map.of()).config().log());
            Logger log = LoggerFactory.getLogger(LoggingTest.class);
            for (int i = 0; i < LINES; i++) {
                log.info("line {}", i);
            }
            pipe.read.countDown();
            Logging.stop();
        } finally {
            pipe.read.countDown();
            System.setErr(errors);
            Logging.configure(CommandLineReader.read(List.of(), Map.of()).config().log());
        }
        List<String> lines = pipe.text.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSizeBetween(4096, LINES - 1);
        assertThat(lines.get(0)).contains("\"line 0\"");
        assertThat(Logging.dropped() - dropped).isEqualTo(LINES - lines.size());
    }

    /** Takes nothing until somebody reads. */
    private static final class Pipe extends OutputStream {
        private final CountDownLatch read = new CountDownLatch(1);
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            try {
                read.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            text.write(bytes, from, length);
        }
    }
}
