package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.span;
import static io.brain.backend.watch.Fixture.watch;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.watch.WatchCensus.Need;
import io.brain.backend.watch.WatchCensus.Slow;
import io.brain.backend.watch.WatchCensus.Span;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WatchCensusTest {
    private final Fixture fixture = Fixture.roomy();

    @Test
    void equalSpansAreCountedTogether() {
        WatchStream one = fixture.open(new RecordingSink());
        WatchStream other = fixture.open(new RecordingSink());
        one.create(watch(span("a", "b"), 0));
        one.create(watch(key("k"), 0));
        other.create(watch(span("a", "b"), 0));
        WatchCensus census = census(10);
        assertThat(census.streams()).isEqualTo(2);
        assertThat(census.watchers()).isEqualTo(3);
        assertThat(census.behind()).isZero();
        assertThat(census.spans())
                .containsExactly(new Span(span("a", "b"), 2), new Span(key("k"), 1));
        assertThat(census.slowest()).isEmpty();
        assertThat(census(1).spans()).hasSize(1);
    }

    @Test
    void aClientThatDoesNotReadIsNamedWithHowFarItIsBehind() {
        RecordingSink deaf = new RecordingSink();
        deaf.limit(0);
        WatchStream stream = fixture.open(deaf);
        stream.create(watch(KeySpan.ALL, 0));
        stream.create(watch(key("quiet"), 0));
        fixture.simulated.settle();
        fixture.history.put("k", "1");
        fixture.history.put("k", "2");
        fixture.simulated.settle();
        WatchCensus census = census(10);
        assertThat(census.behind()).isEqualTo(1);
        assertThat(census.committed()).isEqualTo(3);
        assertThat(census.slowest()).containsExactly(new Slow(0, KeySpan.ALL, Need.CLIENT, 2));
        assertThat(census(0).slowest()).isEmpty();
    }

    @Test
    void manyWatchersAreGuessedFromSome() {
        WatchStream stream = fixture.open(new RecordingSink());
        for (int i = 0; i < 20_000; i++) {
            stream.create(watch(i % 3 == 0 ? KeySpan.ALL : key("k" + i), 0));
        }
        WatchCensus census = census(5);
        assertThat(census.watchers()).isEqualTo(20_000);
        assertThat(census.spans()).hasSize(5);
        assertThat(census.spans().get(0).keys()).isEqualTo(KeySpan.ALL);
        assertThat(census.spans().get(0).watchers()).isBetween(6_600, 6_700);
    }

    private WatchCensus census(int listed) {
        CompletableFuture<WatchCensus> census = fixture.hub.census(listed);
        fixture.simulated.settle();
        return census.join();
    }
}
