package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.span;
import static io.brain.backend.watch.Fixture.watch;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.watch.WatcherSummary.Need;
import io.brain.backend.watch.WatcherSummary.Slow;
import io.brain.backend.watch.WatcherSummary.Span;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WatcherSummaryTest {
    private final Fixture fixture = Fixture.roomy();

    @Test
    void equalSpansAreCountedTogether() {
        WatchStream one = fixture.open(new RecordingSink());
        WatchStream other = fixture.open(new RecordingSink());
        one.create(watch(span("a", "b"), 0));
        one.create(watch(key("k"), 0));
        other.create(watch(span("a", "b"), 0));
        WatcherSummary summary = summary(10);
        assertThat(summary.streams()).isEqualTo(2);
        assertThat(summary.watchers()).isEqualTo(3);
        assertThat(summary.unsynced()).isZero();
        assertThat(summary.spans())
                .containsExactly(new Span(span("a", "b"), 2), new Span(key("k"), 1));
        assertThat(summary.slowest()).isEmpty();
        assertThat(summary(1).spans()).hasSize(1);
    }

    @Test
    void aClientThatDoesNotReadIsListedWithItsNextRevision() {
        RecordingSink deaf = new RecordingSink();
        deaf.limit(0);
        WatchStream stream = fixture.open(deaf);
        stream.create(watch(KeySpan.ALL, 0));
        stream.create(watch(key("quiet"), 0));
        fixture.simulated.run();
        fixture.history.put("k", "1");
        fixture.history.put("k", "2");
        fixture.simulated.run();
        WatcherSummary summary = summary(10);
        assertThat(summary.unsynced()).isEqualTo(1);
        assertThat(summary.committed()).isEqualTo(3);
        assertThat(summary.slowest()).containsExactly(new Slow(0, KeySpan.ALL, Need.CLIENT, 2));
        assertThat(summary(0).slowest()).isEmpty();
    }

    @Test
    void manyWatchersAreEstimatedFromASample() {
        WatchStream stream = fixture.open(new RecordingSink());
        for (int i = 0; i < 20_000; i++) {
            stream.create(watch(i % 3 == 0 ? KeySpan.ALL : key("k" + i), 0));
        }
        WatcherSummary summary = summary(5);
        assertThat(summary.watchers()).isEqualTo(20_000);
        assertThat(summary.spans()).hasSize(5);
        assertThat(summary.spans().get(0).keys()).isEqualTo(KeySpan.ALL);
        assertThat(summary.spans().get(0).watchers()).isBetween(6_600, 6_700);
    }

    private WatcherSummary summary(int listed) {
        CompletableFuture<WatcherSummary> summary = fixture.hub.summary(listed);
        fixture.simulated.run();
        return summary.join();
    }
}
