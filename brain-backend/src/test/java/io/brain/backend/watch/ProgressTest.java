package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.filtered;
import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.watch;
import static io.brain.backend.watch.Fixture.withId;
import static io.brain.backend.watch.Fixture.withProgress;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.brain.backend.model.KeySpan;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {
    // The most that the random tenth can make of the interval of 10 minutes.
    private static final Duration INTERVAL_MAX = Duration.ofMinutes(11);

    private final Fixture fixture = Fixture.roomy();
    private final History history = fixture.history;
    private final RecordingSink sink = new RecordingSink();
    private final WatchStream stream = fixture.open(sink);

    @Test
    void oneResponseForAllWatchersOfTheStream() {
        stream.create(watch(key("a"), 0));
        stream.create(watch(key("b"), 0));
        history.put("x", "1");
        assertThat(answers()).containsExactly("created 0 @2", "created 1 @2");
        assertThat(progress()).containsExactly("progress -1 @2");
        assertThat(progress()).containsExactly("progress -1 @2");
    }

    @Test
    void progressFollowsAllEventsUpToItsRevision() {
        stream.create(watch(key("a"), 0));
        answers();
        history.put("a", "1");
        history.put("a", "2");
        // The hub has seen nothing of these yet when the request comes.
        assertThat(progress())
                .containsExactly(
                        "events 0 @2: PUT a=1#2", "events 0 @3: PUT a=2#3", "progress -1 @3");
    }

    @Test
    void noProgressWithoutWatchers() {
        assertThat(progress()).isEmpty();
        assertThat(sink.callsTaken()).isEqualTo(1);
    }

    @Test
    void noProgressWithAWatcherOfAFutureRevision() {
        stream.create(watch(key("a"), 0));
        stream.create(watch(key("b"), 3));
        answers();
        assertThat(progress()).isEmpty();
        history.put("x", "1");
        assertThat(progress()).isEmpty();
        history.put("x", "2");
        assertThat(progress()).containsExactly("progress -1 @3");
    }

    @Test
    void noProgressUntilTheEventsOfAReplayAreSent() {
        history.put("a", "1");
        history.put("a", "2");
        stream.create(watch(key("a"), 2));
        // The request comes before the events: etcd drops it, too.
        assertThat(progress()).containsExactly("created 0 @3", "events 0 @3: PUT a=1#2, PUT a=2#3");
        assertThat(progress()).containsExactly("progress -1 @3");
        assertThat(fixture.simulated.timers()).isZero();
    }

    @Test
    void noProgressUntilAReplayWithoutEventsEnds() {
        history.put("a", "1");
        stream.create(watch(key("b"), 2));
        assertThat(progress()).containsExactly("created 0 @2");
        assertThat(progress()).containsExactly("progress -1 @2");
    }

    @Test
    void noProgressUntilACompactedWatcherIsCancelled() {
        history.put("a", "1");
        history.put("a", "2");
        history.raiseFloor(3);
        stream.create(watch(key("a"), 0));
        stream.create(watch(key("a"), 2));
        assertThat(answers())
                .containsExactly("created 0 @3", "created 1 @3", "compacted 1 below 3");
        assertThat(progress()).isEmpty();
        stream.cancel(1);
        assertThat(progress()).containsExactly("canceled 1 @3", "progress -1 @3");
    }

    @Test
    void aCompactionNotifiesWatchersThatAskedForIt() {
        stream.create(withProgress(key("a"), 0));
        stream.create(watch(key("b"), 0));
        answers();
        history.put("a", "1");
        history.put("x", "2");
        assertThat(answers()).containsExactly("events 0 @2: PUT a=1#2");
        history.raiseFloor(3);
        assertThat(answers()).containsExactly("progress 0 @3");
        history.put("x", "3");
        assertThat(answers()).isEmpty();
        assertThat(fixture.hub.stats().noticesSent()).isEqualTo(1);
    }

    @Test
    void aWatcherThatResumesAtItsNotificationIsNotCompacted() {
        stream.create(withProgress(key("a"), 0));
        for (int i = 0; i < 3; i++) {
            history.put("x", "1");
            answers();
            history.raiseFloor(history.revision());
            assertThat(answers()).containsExactly("progress 0 @" + history.revision());
        }
        stream.cancel(0);
        stream.create(withProgress(key("a"), history.revision() + 1));
        stream.create(withProgress(key("a"), history.revision() - 1));
        assertThat(answers())
                .containsExactly(
                        "canceled 0 @4", "created 1 @4", "created 2 @4", "compacted 2 below 4");
    }

    @Test
    void aFullTransportIsNotifiedWhenItIsReady() {
        stream.create(withProgress(key("a"), 0));
        stream.create(withProgress(key("b"), 0));
        history.put("x", "1");
        answers();
        sink.limit(0);
        history.raiseFloor(2);
        assertThat(answers()).isEmpty();
        sink.limit(Integer.MAX_VALUE);
        stream.ready();
        assertThat(answers()).containsExactly("progress 0 @2", "progress 1 @2");
        stream.ready();
        assertThat(answers()).isEmpty();
    }

    @Test
    void aCompactionDoesNotNotifyWatchersThatLackEvents() {
        stream.create(withProgress(key("a"), 0));
        answers();
        sink.limit(0);
        history.put("a", "1");
        history.raiseFloor(2);
        assertThat(answers()).isEmpty();
    }

    @Test
    void aCompactionNotifiesNobodyIfThatIsOff() {
        WatchSettings roomy = Fixture.ringOf(64 << 20);
        Fixture off = new Fixture(roomy.withProgress(roomy.progressInterval(), false));
        WatchStream silent = off.open(sink);
        silent.create(withProgress(key("a"), 0));
        off.history.put("x", "1");
        off.simulated.run();
        sink.take();
        off.history.raiseFloor(2);
        off.simulated.run();
        assertThat(sink.take()).isEmpty();
        assertThat(off.hub.stats().noticesSent()).isZero();
    }

    @Test
    void noProgressUntilAllWatchersAreSynced() {
        stream.create(watch(key("a"), 0));
        stream.create(watch(key("b"), 0));
        answers();
        sink.limit(1);
        history.put("a", "1");
        history.put("a", "2");
        assertThat(progress()).containsExactly("events 0 @2: PUT a=1#2");
        sink.limit(1);
        stream.ready();
        assertThat(answers()).containsExactly("events 0 @3: PUT a=2#3");
        sink.limit(1);
        stream.ready();
        assertThat(progress()).containsExactly("progress -1 @3");
    }

    @Test
    void noProgressWhileTheTransportIsFull() {
        stream.create(watch(key("a"), 0));
        answers();
        sink.limit(0);
        assertThat(progress()).isEmpty();
        sink.limit(1);
        stream.ready();
        assertThat(answers()).isEmpty();
        assertThat(progress()).containsExactly("progress -1 @1");
    }

    @Test
    void anExplicitIdOfMinusOneChangesNothing() {
        stream.create(withId(-1, key("a"), 0));
        assertThat(progress()).containsExactly("created -1 @1", "progress -1 @1");
    }

    @Test
    void watchersWithoutEventsAreNotifiedAtTheInterval() {
        stream.create(withProgress(key("a"), 0));
        stream.create(watch(key("a"), 0));
        stream.create(withProgress(key("b"), 0));
        answers();
        fixture.simulated.advance(Duration.ofMinutes(10).minusMillis(1));
        history.put("x", "1");
        assertThat(answers()).isEmpty();
        fixture.simulated.advance(Duration.ofMinutes(1));
        assertThat(answers()).containsExactly("progress 0 @2", "progress 2 @2");
        history.put("a", "1");
        answers();
        // Told by its events already.
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).containsExactly("progress 2 @3");
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).containsExactly("progress 0 @3", "progress 2 @3");
    }

    @Test
    void filteredEventsDoNotCountAsActivity() {
        stream.create(new WatchRequest(0, key("a"), 0, false, true, false, true, false));
        answers();
        history.put("a", "1");
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).containsExactly("progress 0 @2");
    }

    @Test
    void unsyncedAndFutureWatchersAreNotNotified() {
        stream.create(withProgress(key("a"), 3));
        answers();
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).isEmpty();
        history.put("x", "1");
        history.put("x", "2");
        sink.limit(0);
        history.put("a", "1");
        settle();
        // It is behind: its transport was full when its event came.
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).isEmpty();
        sink.limit(2);
        stream.ready();
        assertThat(answers()).containsExactly("events 0 @4: PUT a=1#4");
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).isEmpty();
        fixture.simulated.advance(INTERVAL_MAX);
        assertThat(answers()).containsExactly("progress 0 @4");
    }

    @Test
    void theIntervalDoesNotDependOnTheWatchers() {
        fixture.simulated.advance(Duration.ofMinutes(4));
        stream.create(withProgress(key("a"), 0));
        answers();
        long first = Duration.ofMinutes(4).toMillis() + millisUntilProgress();
        stream.cancel(0);
        answers();
        fixture.simulated.advance(INTERVAL_MAX.multipliedBy(3));
        assertThat(fixture.simulated.timers()).isZero();
        stream.create(withProgress(key("a"), 0));
        answers();
        long second = millisUntilProgress();
        long third = millisUntilProgress();
        assertThat(first).isBetween(10 * 60_000L, 11 * 60_000L);
        // The beat is not a whole number of milliseconds.
        assertThat(third).isCloseTo(first, within(1L));
        assertThat(second).isLessThanOrEqualTo(first);
        stream.close();
        settle();
        assertThat(fixture.simulated.timers()).isZero();
    }

    @Test
    void anIntervalThatIsTooShortIsRaised() {
        WatchSettings settings = new WatchSettings(1, 1, 1, 1, 1, Duration.ofMillis(1), true, 0);
        assertThat(settings.progressInterval()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void aWatcherThatFiltersEverythingGetsProgress() {
        stream.create(filtered(KeySpan.ALL, 0, true, true));
        history.put("a", "1");
        assertThat(progress()).containsExactly("created 0 @2", "progress -1 @2");
    }

    private long millisUntilProgress() {
        for (long millis = 1; millis <= INTERVAL_MAX.toMillis(); millis++) {
            fixture.simulated.advance(Duration.ofMillis(1));
            if (!answers().isEmpty()) {
                return millis;
            }
        }
        throw new AssertionError("no progress");
    }

    private List<String> progress() {
        stream.requestProgress();
        return answers();
    }

    private List<String> answers() {
        settle();
        return sink.take();
    }

    private void settle() {
        fixture.simulated.run();
    }
}
