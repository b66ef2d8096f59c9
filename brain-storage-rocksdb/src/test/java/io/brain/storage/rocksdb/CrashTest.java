package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.KvStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it commits, twice on the same store. */
@Timeout(300)
final class CrashTest {
    /** Zeros are written some seconds after a start, when there is disk space. */
    private static final int WRITE_SECONDS = 5;

    private static final long ZEROS_MIN = 1000;

    @TempDir Path directory;

    @RepeatedTest(2)
    void nothingAcknowledgedIsLostAndNothingIsHalf(RepetitionInfo repetition) throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        int acknowledged = 0;
        for (int life = 0; life < 2; life++) {
            acknowledged =
                    reopened(killedAfter(acknowledged + 1 + random.nextInt(300), 0, "256KiB"));
        }
    }

    /** The process lives long enough to write over zeros, also in a log that follows another. */
    @Test
    void zerosBehindTheLogAreNoDamage() throws Exception {
        int acknowledged = 0;
        long zeros = 0;
        // Longer lives for a busy machine. A log has no zeros yet when it is new.
        for (int life = 1; life <= 2 || (life <= 6 && zeros <= ZEROS_MIN); life++) {
            acknowledged = killedAfter(acknowledged + 1, life * WRITE_SECONDS, "4MiB", "10000");
            for (Path log : Stores.files(directory, ".*\\.log")) {
                zeros += Files.size(log) - PowerLossTest.written(log);
            }
            acknowledged = reopened(acknowledged);
        }
        assertThat(zeros).as("bytes of zeros behind the logs").isGreaterThan(ZEROS_MIN);
    }

    /** Requires all that was acknowledged, and perhaps the next step; the last one. */
    private int reopened(int acknowledged) {
        try (KvStorage store = open(directory)) {
            int last = Integer.parseInt(get(store, "fence").substring("fence ".length()));
            assertThat(last).isBetween(acknowledged, acknowledged + 1);
            for (int number = 1; number <= last; number++) {
                assertThat(get(store, "at" + number)).isEqualTo("fence " + number);
            }
            assertThat(get(store, "at" + (last + 1))).isNull();
            return last;
        }
    }

    /**
     * Lets a process commit for some seconds and until it acknowledged {@code number}, and kills
     * it; the last number.
     */
    private int killedAfter(int number, int seconds, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(directory.toString()));
        arguments.addAll(List.of(options));
        Process child = ChildProcess.start(ChildProcess.class, arguments.toArray(String[]::new));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        boolean killed = false;
        try (var lines = child.inputReader()) {
            int last = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                assertThat(line).startsWith("acknowledged ");
                last = Integer.parseInt(line.substring("acknowledged ".length()));
                if (!killed && last >= number && System.nanoTime() - end >= 0) {
                    // Not child.destroyForcibly(): that drops what was printed and not yet read.
                    child.toHandle().destroyForcibly();
                    killed = true;
                }
            }
            assertThat(last).isGreaterThanOrEqualTo(number);
            return last;
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}
