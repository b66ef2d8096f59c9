package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.watch;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WatchBoundsTest {
    @Test
    void watchersOfANodeAreLimited() {
        Fixture small =
                new Fixture(
                        new WatchSettings(
                                1 << 20, 2, 1 << 20, 1 << 20, 3, Duration.ofMinutes(10), true, 0));
        RecordingSink first = new RecordingSink();
        WatchStream greedy = small.open(first);
        for (int i = 0; i < 5; i++) {
            greedy.create(watch(key("a"), 0));
        }
        small.simulated.run();
        assertThat(first.take())
                .containsExactly(
                        "created 0 @1", "created 1 @1", "created 2 @1", "failed TOO_MANY_REQUESTS");
        RecordingSink second = new RecordingSink();
        small.open(second).create(watch(key("a"), 0));
        small.simulated.run();
        assertThat(second.take()).containsExactly("created 0 @1");
    }

    @Test
    void watchersOfLongKeysCountAsSeveral() {
        Fixture small =
                new Fixture(
                        new WatchSettings(
                                1 << 20, 2, 1 << 20, 1 << 20, 5, Duration.ofMinutes(10), true, 0));
        RecordingSink answers = new RecordingSink();
        WatchStream stream = small.open(answers);
        KeySpan long2KiB = key("k".repeat(1024)); // it and its successor
        for (int round = 0; round < 2; round++) {
            stream.create(watch(long2KiB, 0));
            stream.create(watch(key("a"), 0));
            stream.create(watch(key("a"), 0));
            small.simulated.run();
            assertThat(answers.take()).hasSize(3);
            for (int id = 0; id < 3; id++) {
                stream.cancel(3L * round + id);
            }
            small.simulated.run();
            assertThat(answers.take()).hasSize(3);
        }
        stream.create(watch(long2KiB, 0));
        stream.create(watch(long2KiB, 0));
        small.simulated.run();
        assertThat(answers.take()).containsExactly("created 6 @1", "failed TOO_MANY_REQUESTS");
    }
}
