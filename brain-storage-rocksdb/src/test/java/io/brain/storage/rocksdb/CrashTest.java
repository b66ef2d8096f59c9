package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.KvStorage;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it commits, twice on the same store. */
@Timeout(300)
final class CrashTest {
    @TempDir Path directory;

    @RepeatedTest(2)
    void nothingAcknowledgedIsLostAndNothingIsHalf(RepetitionInfo repetition) throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        int acknowledged = 0;
        for (int life = 0; life < 2; life++) {
            acknowledged = killedAfter(acknowledged + 1 + random.nextInt(300));

            try (KvStorage store = open(directory)) {
                int last = Integer.parseInt(get(store, "fence").substring("fence ".length()));
                assertThat(last).isBetween(acknowledged, acknowledged + 1);
                for (int number = 1; number <= last; number++) {
                    assertThat(get(store, "at" + number)).isEqualTo("fence " + number);
                }
                assertThat(get(store, "at" + (last + 1))).isNull();
                acknowledged = last;
            }
        }
    }

    /**
     * Lets a process commit until it acknowledged {@code number}, and kills it; the last number.
     */
    private int killedAfter(int number) throws Exception {
        Process child = ChildProcess.start(ChildProcess.class, directory.toString());
        try (var lines = child.inputReader()) {
            int last = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                assertThat(line).startsWith("acknowledged ");
                last = Integer.parseInt(line.substring("acknowledged ".length()));
                if (last == number) {
                    // Not child.destroyForcibly(): that drops what was printed and not yet read.
                    child.toHandle().destroyForcibly();
                }
            }
            assertThat(last).isGreaterThanOrEqualTo(number);
            return last;
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}
