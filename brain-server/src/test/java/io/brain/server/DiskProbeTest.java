package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.metrics.MetricsText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DiskProbeTest {
    private final AtomicInteger touches = new AtomicInteger();
    private volatile CountDownLatch hang = new CountDownLatch(0);
    private volatile boolean refuses;

    private final DiskProbe.Disk disk =
            new DiskProbe.Disk() {
                @Override
                public void touch() throws IOException {
                    touches.incrementAndGet();
                    try {
                        hang.await();
                    } catch (InterruptedException interrupted) {
                        throw new AssertionError("probes are not interrupted", interrupted);
                    }
                    if (refuses) {
                        throw new IOException("no space left on device");
                    }
                }

                @Override
                public void close() {
                    touches.set(-1);
                }
            };

    @Test
    void onlyAnIdleDiskIsProbed() throws Exception {
        long started = System.nanoTime();
        try (DiskProbe idle = probe(started - Duration.ofDays(1).toNanos())) {
            Eventually.holds(() -> touches.get() >= 3);
            int count = touches.get();
            long pauses = (System.nanoTime() - started) / DiskProbe.PAUSE.toNanos();
            assertThat(count).as("probes in %d pauses", pauses).isLessThanOrEqualTo((int) pauses);
            Eventually.holds(
                    () -> text(idle).contains("brain_disk_probes_total " + touches.get() + "\n"));
        }
        Eventually.holds(() -> touches.get() == -1); // closed
        touches.set(0);
        try (DiskProbe busy = new DiskProbe(disk, System::nanoTime)) {
            Thread.sleep(1200);
            assertThat(touches).hasValue(0);
            assertThat(busy.stalledNanos()).isZero();
        }
    }

    @Test
    void aStalledDiskIsReportedUntilItAnswersAndDoesNotBlockClosing() throws Exception {
        hang = new CountDownLatch(1);
        DiskProbe probe = probe(System.nanoTime());
        while (probe.stalledNanos() < Duration.ofMillis(1250).toNanos()) {
            Thread.sleep(10);
        }
        hang.countDown();
        while (probe.stalledNanos() > 0) {
            Thread.sleep(1);
        }
        hang = new CountDownLatch(1);
        while (probe.stalledNanos() == 0) {
            Thread.sleep(10);
        }
        long closing = System.nanoTime();
        probe.close();
        assertThat(Duration.ofNanos(System.nanoTime() - closing))
                .isLessThan(Duration.ofSeconds(10));
        hang.countDown();
    }

    @Test
    void aFailedProbeIsNoStall() throws Exception {
        refuses = true;
        try (DiskProbe probe = probe(System.nanoTime())) {
            while (touches.get() < 2) {
                Thread.sleep(10);
            }
            Eventually.holds(() -> probe.stalledNanos() == 0);
        }
    }

    @Test
    void theFileIsOverwrittenAndDoesNotGrow(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("PROBE");
        try (DiskProbe.Disk file = DiskProbe.file(path)) {
            assertThat(path).doesNotExist();
            file.touch();
            file.touch();
            assertThat(Files.size(path)).isEqualTo(8);
        }
    }

    private DiskProbe probe(long lastSynced) {
        return new DiskProbe(disk, () -> lastSynced);
    }

    private static String text(DiskProbe probe) {
        MetricsText text = new MetricsText();
        probe.writeTo(text);
        return text.toString();
    }
}
