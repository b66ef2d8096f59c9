package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.watch;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes that clients have not read, over all streams. */
class SendBudgetTest {
    private static final String LARGE = "x".repeat(20_000);

    private final Fixture fixture =
            new Fixture(
                    new WatchSettings(
                            64 << 20, 2, 1 << 20, 100_000, 1000, Duration.ofMinutes(10), true, 0));
    private final List<RecordingSink> sinks = new ArrayList<>();
    private final List<WatchStream> streams = new ArrayList<>();

    @Test
    void historyFillsHalfOfTheBudgetAndWaitsForTheRest() {
        replaying(5);
        assertThat(served()).containsExactly(0, 1, 2);
        assertThat(fixture.hub.stats().unsent().bytes()).isBetween(60_000L, 61_000L);
        assertThat(fixture.hub.stats().unsent().waiting()).isEqualTo(2);
        read(1);
        assertThat(served()).containsExactly(3);
        streams.get(0).close();
        settle();
        assertThat(served()).containsExactly(4);
        assertThat(fixture.hub.stats().unsent().waiting()).isZero();
    }

    @Test
    void liveEventsHaveTheWholeBudgetAndSmallOnesNeedNone() {
        replaying(3);
        served();
        for (int i = 3; i < 8; i++) {
            open(watch(key("live"), 0));
        }
        fixture.history.put("live", LARGE);
        settle();
        assertThat(served()).containsExactly(3, 4);
        open(watch(key("small"), 0));
        fixture.history.put("small", "1");
        settle();
        assertThat(served()).containsExactly(8);
        open(watch(key("past"), 2)); // history waits behind live events
        settle();
        read(0);
        assertThat(served()).containsExactly(5);
        read(1);
        read(2);
        assertThat(served()).containsExactly(6, 7);
    }

    @Test
    void aClientThatReadsNothingIsDroppedWhenOthersWait() {
        replaying(5);
        served();
        fixture.simulated.advance(Duration.ofSeconds(1));
        assertThat(served()).isEmpty();
        read(1);
        assertThat(served()).containsExactly(3);
        fixture.simulated.advance(Duration.ofSeconds(1));
        assertThat(sinks.get(0).take()).containsExactly("stalled");
        assertThat(sinks.get(2).take()).containsExactly("stalled");
        assertThat(served()).containsExactly(4);
        assertThat(fixture.hub.stats().unsent().dropped()).isEqualTo(2);
        assertThat(fixture.hub.stats().streams()).isEqualTo(3);
    }

    @Test
    void aClientThatReadsNothingStaysWhileNoneWaits() {
        replaying(2);
        assertThat(served()).containsExactly(0, 1);
        fixture.simulated.advance(Duration.ofHours(1));
        assertThat(fixture.hub.stats().streams()).isEqualTo(2);
        assertThat(fixture.simulated.timers()).isZero();
    }

    @Test
    void aResponseLargerThanTheBudgetIsSentWhenThereIsRoom() {
        replaying(1);
        open(watch(key("huge"), 0));
        fixture.history.put("huge", "x".repeat(200_000));
        settle();
        assertThat(served()).containsExactly(0, 1);
    }

    @Test
    void eventsReadFromTheLogAreCounted() {
        Fixture logOnly =
                new Fixture(
                        new WatchSettings(
                                1, 2, 1 << 20, 100_000, 1000, Duration.ofMinutes(10), true, 0));
        logOnly.history.put("past", LARGE);
        List<RecordingSink> deaf = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            RecordingSink sink = new RecordingSink();
            sink.limit(1);
            deaf.add(sink);
            logOnly.hub.open(sink).create(watch(key("past"), 2));
        }
        logOnly.simulated.run();
        assertThat(deaf.stream().filter(sink -> sink.take().size() == 2)).hasSize(3);
        logOnly.simulated.advance(Duration.ofSeconds(3));
        assertThat(
                        deaf.stream()
                                .flatMap(sink -> sink.take().stream())
                                .map(one -> one.replaceAll(" .*", "")))
                .containsExactlyInAnyOrder("stalled", "stalled", "stalled", "events", "events");
    }

    /** Opens streams that take one response, and have one of the past to get. */
    private void replaying(int count) {
        fixture.history.put("past", LARGE);
        for (int i = 0; i < count; i++) {
            open(watch(key("past"), 2));
        }
        settle();
    }

    private void open(WatchRequest request) {
        RecordingSink sink = new RecordingSink();
        sink.limit(1);
        sinks.add(sink);
        WatchStream stream = fixture.open(sink);
        streams.add(stream);
        stream.create(request);
        settle();
    }

    /** A client reads what its transport holds. */
    private void read(int client) {
        sinks.get(client).limit(1);
        streams.get(client).ready();
        settle();
    }

    /** The streams that were sent events since the last call. */
    private List<Integer> served() {
        List<Integer> served = new ArrayList<>();
        for (int i = 0; i < sinks.size(); i++) {
            if (sinks.get(i).take().stream().anyMatch(line -> line.startsWith("events"))) {
                served.add(i);
            }
        }
        return served;
    }

    private void settle() {
        fixture.simulated.run();
    }
}
