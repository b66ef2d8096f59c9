package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.filtered;
import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.ringOf;
import static io.brain.backend.watch.Fixture.span;
import static io.brain.backend.watch.Fixture.watch;
import static io.brain.backend.watch.Fixture.withPrevKv;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.watch.History.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Streams whose transport is full, watchers that fall behind, and how they come back. */
class SlowStreamTest {
    @Test
    void nothingIsSentToAFullTransportAndNothingIsLost() {
        Fixture fixture = Fixture.roomy();
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(key("a"), 0));
        stream.create(watch(KeySpan.ALL, 0));
        settle(fixture);
        sink.take();
        sink.limit(1);
        fixture.history.put("a", "1");
        fixture.history.put("b", "1");
        fixture.history.put("a", "2");
        settle(fixture);
        assertThat(sink.take()).containsExactly("events 0 @2: PUT a=1#2");
        assertThat(fixture.hub.stats().unsynced()).isEqualTo(2);
        // One response per revision still, with that revision: the watchers were live.
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sink.limit(1);
            stream.ready();
            settle(fixture);
            rest.addAll(sink.take());
        }
        assertThat(rest)
                .containsExactlyInAnyOrder(
                        "events 1 @2: PUT a=1#2",
                        "events 1 @3: PUT b=1#3",
                        "events 0 @4: PUT a=2#4",
                        "events 1 @4: PUT a=2#4");
        assertThat(fixture.hub.stats().unsynced()).isZero();
    }

    @Test
    void aSlowStreamDoesNotDelayAnother() {
        Fixture fixture = Fixture.roomy();
        RecordingSink slow = new RecordingSink();
        RecordingSink quick = new RecordingSink();
        fixture.open(slow).create(watch(key("a"), 0));
        fixture.open(quick).create(watch(key("a"), 0));
        settle(fixture);
        slow.limit(0);
        fixture.history.put("a", "1");
        settle(fixture);
        assertThat(slow.take()).containsExactly("created 0 @1");
        assertThat(quick.take()).containsExactly("created 0 @1", "events 0 @2: PUT a=1#2");
    }

    @Test
    void aWatcherOfEvictedRevisionsReadsTheLog() {
        Fixture fixture = new Fixture(ringOf(3000));
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(withPrevKv(key("a"), 0));
        settle(fixture);
        sink.limit(0);
        for (int i = 1; i <= 50; i++) {
            fixture.history.put(i % 2 == 0 ? "a" : "b", "v" + i);
        }
        settle(fixture);
        assertThat(fixture.ring.first()).isGreaterThan(40);
        assertThat(sink.take()).containsExactly("created 0 @1");
        assertThat(fixture.simulated.logReaders().waiting()).isZero();
        sink.limit(Integer.MAX_VALUE);
        stream.ready();
        settle(fixture);
        assertThat(sink.take())
                .singleElement()
                .asString()
                .startsWith("events 0 @51: PUT a=v2#3, PUT a=v4#5 was v2,")
                .endsWith("PUT a=v50#51 was v48");
        fixture.history.put("a", "live");
        settle(fixture);
        assertThat(sink.take()).containsExactly("events 0 @52: PUT a=live#52 was v50");
    }

    @Test
    void syncedWatchersGetARevisionTooLargeForTheRingFromTheLog() {
        Fixture fixture = Fixture.roomy();
        fixture.history.ringEventsMax(2);
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(span("a", "c"), 0));
        stream.create(watch(key("z"), 0));
        settle(fixture);
        sink.take();
        fixture.history.commit(
                Change.put("a", "1"),
                Change.put("b", "1"),
                Change.put("c", "1"),
                Change.put("d", "1"));
        fixture.history.put("a", "2");
        fixture.history.put("z", "1");
        settle(fixture);
        assertThat(sink.take())
                .containsExactlyInAnyOrder(
                        "events 0 @2: PUT a=1#2, PUT b=1#2",
                        "events 0 @3: PUT a=2#3",
                        "events 1 @4: PUT z=1#4");
        assertThat(fixture.hub.stats().unsynced()).isZero();
        fixture.memory.checkNoOpenSnapshots();
    }

    @Test
    void compactionCancelsAWatcherThatWaitsForTheLog() {
        Fixture fixture = new Fixture(ringOf(3000));
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(key("a"), 0));
        stream.create(watch(key("b"), 0));
        settle(fixture);
        sink.take();
        sink.limit(0);
        for (int i = 1; i <= 50; i++) {
            fixture.history.put("a", "v" + i);
            settle(fixture);
        }
        fixture.history.raiseFloor(30);
        fixture.history.sweep();
        sink.limit(Integer.MAX_VALUE);
        stream.ready();
        settle(fixture);
        // Watcher 1 wanted nothing of it: it never fell behind.
        assertThat(sink.take()).containsExactly("compacted 0 below 30");
        fixture.history.put("b", "1");
        settle(fixture);
        assertThat(sink.take()).containsExactly("events 1 @52: PUT b=1#52");
    }

    @Test
    void aReadForAFullTransportIsSentOncePerStream() {
        Fixture fixture = new Fixture(ringOf(3000));
        for (int i = 0; i < 50; i++) {
            fixture.history.put("other", "v" + i);
        }
        RecordingSink sink = new RecordingSink();
        sink.allowOverfull();
        WatchStream stream = fixture.open(sink);
        stream.create(filtered(key("other"), 2, false, true));
        stream.create(filtered(key("other"), 3, false, true));
        fixture.simulated.watch().runAll();
        assertThat(fixture.simulated.logReaders().waiting()).isEqualTo(1);
        sink.take();
        // Live events fill the transport whenever it has room, and while the log is read.
        sink.limit(0);
        settle(fixture);
        assertThat(sink.take()).singleElement().asString().startsWith("events 0 @51: PUT other=v0");
        settle(fixture);
        assertThat(sink.take()).isEmpty();
        sink.limit(1);
        stream.ready();
        fixture.simulated.watch().runAll();
        sink.limit(0);
        settle(fixture);
        assertThat(sink.take()).singleElement().asString().startsWith("events 1 @51: PUT other=v1");
    }

    @Test
    void watchersOfAStreamTakeTurns() {
        Fixture fixture = Fixture.roomy();
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(key("a"), 0));
        stream.create(watch(key("a"), 0));
        settle(fixture);
        sink.take();
        sink.limit(0);
        fixture.history.put("a", "1");
        fixture.history.put("a", "2");
        fixture.history.put("a", "3");
        settle(fixture);
        sink.limit(4);
        stream.ready();
        settle(fixture);
        assertThat(sink.take())
                .containsExactly(
                        "events 0 @2: PUT a=1#2",
                        "events 1 @2: PUT a=1#2",
                        "events 0 @3: PUT a=2#3",
                        "events 1 @3: PUT a=2#3");
    }

    @Test
    void aReplayOfLargeValuesIsSentInParts() {
        WatchSettings settings =
                new WatchSettings(
                        64 << 20, 2, 10_000, 1 << 20, 100, Duration.ofMinutes(10), true, 0);
        Fixture fixture = new Fixture(settings);
        for (int i = 0; i < 9; i++) {
            fixture.history.put("a", "x".repeat(4000));
        }
        RecordingSink sink = new RecordingSink();
        fixture.open(sink).create(watch(key("a"), 2));
        settle(fixture);
        assertThat(sink.take())
                .filteredOn(line -> line.startsWith("events"))
                .hasSizeBetween(4, 9)
                .last()
                .asString()
                .endsWith("x#10");
    }

    @Test
    void compactionDuringAReadCancelsTheWatcher() {
        Fixture fixture = new Fixture(ringOf(1), UnaryOperator.identity());
        for (int i = 1; i <= 9; i++) {
            fixture.history.put("a", "v" + i);
        }
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(key("a"), 3));
        stream.create(watch(key("a"), 8));
        fixture.simulated.watch().runAll();
        fixture.history.raiseFloor(7);
        fixture.history.sweep();
        settle(fixture);
        assertThat(sink.take())
                .containsExactly(
                        "created 0 @10",
                        "created 1 @10",
                        "compacted 0 below 7",
                        "events 1 @10: PUT a=v7#8, PUT a=v8#9, PUT a=v9#10");
    }

    @Test
    void aWatcherCancelledDuringAReadGetsNothing() {
        Fixture fixture = Fixture.withoutRing();
        fixture.history.put("a", "1");
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(key("a"), 2));
        fixture.simulated.watch().runAll();
        stream.cancel(0);
        settle(fixture);
        assertThat(sink.take()).containsExactly("created 0 @2", "canceled 0 @2");
        stream.create(watch(key("a"), 2));
        settle(fixture);
        assertThat(sink.take()).containsExactly("created 1 @2", "events 1 @2: PUT a=1#2");
    }

    @Test
    void concurrentReadsAreLimitedAndStreamsTakeTurns() {
        Fixture fixture = Fixture.withoutRing();
        fixture.history.put("a", "1");
        RecordingSink greedy = new RecordingSink();
        WatchStream greedyStream = fixture.open(greedy);
        // More than two reads can take on.
        for (int i = 0; i < 3000; i++) {
            greedyStream.create(watch(key("a"), 2));
        }
        RecordingSink modest = new RecordingSink();
        fixture.hub.open(modest).create(watch(key("a"), 2));
        fixture.simulated.watch().runAll();
        assertThat(fixture.simulated.logReaders().waiting()).isEqualTo(2);
        for (int reads = 0; reads < 3; reads++) {
            assertThat(fixture.simulated.logReaders().waiting()).isEqualTo(2);
            fixture.simulated.logReaders().runOne();
            fixture.simulated.watch().runAll();
        }
        assertThat(modest.take()).containsExactly("created 0 @2", "events 0 @2: PUT a=1#2");
        settle(fixture);
        assertThat(greedy.take()).hasSize(6000);
    }

    @Test
    void tenThousandWatchersOfAnEventAreServedInLimitedTurns() {
        Fixture fixture = Fixture.roomy();
        CountingSink many = new CountingSink();
        WatchStream stream = fixture.hub.open(many);
        for (int i = 0; i < 10_000; i++) {
            stream.create(watch(KeySpan.ALL, 0));
        }
        RecordingSink other = new RecordingSink();
        fixture.open(other).create(watch(key("a"), 0));
        settle(fixture);
        fixture.history.put("a", "1");
        settle(fixture);
        assertThat(many.events).isEqualTo(10_000);
        many.ready = false;
        for (int i = 0; i < 20; i++) {
            fixture.history.put("a", "more");
        }
        settle(fixture);
        assertThat(many.events).isEqualTo(10_000);
        assertThat(fixture.hub.stats().unsynced()).isEqualTo(10_000);
        other.take();
        many.ready = true;
        stream.ready();
        // While 200 000 responses are on their way, a new event reaches the others in a few turns.
        fixture.simulated.watch().runOne();
        fixture.history.put("a", "new");
        fixture.simulated.watch().runOne();
        fixture.simulated.watch().runOne();
        assertThat(other.take()).containsExactly("events 0 @23: PUT a=new#23");
        assertThat(many.events).isLessThan(100_000);
        settle(fixture);
        assertThat(many.events).isEqualTo(10_000 * 22);
    }

    private static void settle(Fixture fixture) {
        fixture.simulated.run();
    }
}
