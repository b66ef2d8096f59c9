package io.brain.server.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.OutputStreamAppender;
import io.brain.server.Eventually;
import io.brain.server.config.BrainConfig.Access;
import io.brain.server.logging.AccessLine.Call;
import io.brain.server.logging.AccessLine.Event;
import io.brain.server.logging.AccessLine.Subject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Destination, rotation and drops of access log lines. */
@Timeout(60)
class AccessLogFileTest {
    @TempDir private Path directory;

    @Test
    void aFullFileIsRotatedAndFourAreKept() throws Exception {
        Path file = directory.resolve("access.log");
        try (AccessLog log = AccessLog.open(new Access(file, 64 << 10))) {
            int expected = 0;
            for (int round = 0; round < 6; round++) {
                do { // again if the file was rotated meanwhile
                    for (int i = 0; i < 2000; i++) {
                        log.write(line(round));
                    }
                    expected += 2000;
                    while (log.written() < expected) {
                        Thread.sleep(10);
                    }
                } while (Files.size(file) < 64 << 10);
                Thread.sleep(1100); // sizes are checked once per second
            }
            log.write(line(6));
        }
        assertThat(Files.readString(file)).contains("\"method\":\"m6\"").hasLineCount(1);
        assertThat(Files.readAllLines(directory.resolve("access.log.1")))
                .last()
                .asString()
                .contains("\"method\":\"m5\"");
        try (var files = Files.list(directory)) {
            assertThat(files)
                    .hasSize(5)
                    .allSatisfy(
                            kept ->
                                    assertThat(Files.getPosixFilePermissions(kept))
                                            .as(kept + "")
                                            .isEqualTo(
                                                    PosixFilePermissions.fromString("rw-------")));
        }
    }

    @Test
    void anExistingFileIsAppendedTo() throws Exception {
        Path file = directory.resolve("access.log");
        Files.writeString(file, "{}\n");
        try (AccessLog log = AccessLog.open(new Access(file, 64 << 10))) {
            log.write(line(1));
        }
        assertThat(Files.readString(file)).startsWith("{}\n").hasLineCount(2);
    }

    @Test
    void linesAreDroppedAndCountedWhenTheQueueIsFull() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        ByteArrayOutputStream bytes =
                new ByteArrayOutputStream() {
                    @Override
                    public synchronized void write(byte[] some, int from, int length) {
                        try {
                            stuck.await();
                        } catch (InterruptedException interrupted) {
                            throw new AssertionError(interrupted);
                        }
                        super.write(some, from, length);
                    }
                };
        OutputStreamAppender<AccessLine> out = new OutputStreamAppender<>();
        out.setContext(new ContextBase());
        out.setEncoder(new AccessEncoder());
        out.setOutputStream(bytes);
        out.start();
        AccessLog log = new AccessLog(out);
        int written = AccessLog.QUEUE_MAX + 1000;
        for (int i = 0; i < written; i++) {
            log.write(line(i));
        }
        assertThat(log.dropped()).isBetween(1L, 1000L);
        assertThat(log.written()).isZero();
        stuck.countDown();
        Eventually.holds(() -> log.written() + log.dropped() == written);
        log.close();
        assertThat(log.written() + log.dropped()).isEqualTo(written);
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines()).hasSize((int) log.written());
        log.write(line(0));
        assertThat(log.written() + log.dropped()).as("closed").isEqualTo(written + 1);
    }

    @Test
    void anUnwritableFileIsRefused() {
        Path nowhere = directory.resolve("none/access.log");
        assertThatThrownBy(() -> AccessLog.open(new Access(nowhere, 64 << 10)))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "--brain-access-log: cannot write to "
                                + nowhere
                                + ": its directory does not exist");
        assertThatThrownBy(() -> AccessLog.open(new Access(directory, 64 << 10)))
                .hasMessage(
                        "--brain-access-log: cannot write to " + directory + ": Is a directory");
    }

    private static AccessLine line(int number) {
        Call call = new Call("m" + number, null, null, null);
        return new AccessLine(Instant.EPOCH, Event.OPEN, call, Subject.NONE, null);
    }
}
