package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.filtered;
import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.span;
import static io.brain.backend.watch.Fixture.watch;
import static io.brain.backend.watch.Fixture.withId;
import static io.brain.backend.watch.Fixture.withPrevKv;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.watch.History.Change;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules of creating, feeding, refusing and ending watchers, one by one. */
class WatchHubTest {
    private final Fixture fixture = Fixture.roomy();
    private final History history = fixture.history;
    private final RecordingSink sink = new RecordingSink();
    private final WatchStream stream = fixture.open(sink);

    @AfterEach
    void nothingStaysOpen() {
        settle();
        fixture.memory.checkNoOpenSnapshots();
    }

    @Test
    void aPutAndADeleteAreSent() {
        create(watch(key("k"), 0), "created 0 @1");
        history.put("k", "1");
        history.put("other", "1");
        history.put("k", "2");
        history.delete("k");
        settle();
        assertThat(sink.take())
                .containsExactly(
                        "events 0 @2: PUT k=1#2", "events 0 @4: PUT k=2#4", "events 0 @5: DEL k#5");
    }

    @Test
    void aTransactionIsOneResponsePerWatcher() {
        create(watch(KeySpan.ALL, 0), "created 0 @1");
        create(watch(key("b"), 0), "created 1 @1");
        create(watch(span("a", "b"), 0), "created 2 @1");
        create(watch(key("nothing"), 0), "created 3 @1");
        history.commit(Change.put("b", "1"), Change.put("a", "2"), Change.put("x", "3"));
        settle();
        assertThat(sink.take())
                .containsExactlyInAnyOrder(
                        "events 0 @2: PUT b=1#2, PUT a=2#2, PUT x=3#2",
                        "events 1 @2: PUT b=1#2",
                        "events 2 @2: PUT a=2#2");
    }

    @Test
    void aKeyThatChangesTwiceInARevisionHasTwoEvents() {
        history.put("k", "old");
        create(withPrevKv(key("k"), 0), "created 0 @2");
        history.commit(Change.delete("k"), Change.put("k", "new"));
        history.commit(Change.put("k", "newer"), Change.delete("k"));
        settle();
        assertThat(sink.take())
                .containsExactly(
                        "events 0 @3: DEL k#3 was old, PUT k=new#3",
                        "events 0 @4: PUT k=newer#4 was new, DEL k#4 was new");
    }

    @Test
    void replacedKeyValuesAreSentOnRequest() {
        history.put("k", "1");
        create(withPrevKv(key("k"), 0), "created 0 @2");
        create(watch(key("k"), 0), "created 1 @2");
        history.put("k", "2");
        history.delete("k");
        history.put("k", "3");
        settle();
        assertThat(sink.take())
                .containsExactly(
                        "events 0 @3: PUT k=2#3 was 1",
                        "events 1 @3: PUT k=2#3",
                        "events 0 @4: DEL k#4 was 2",
                        "events 1 @4: DEL k#4",
                        "events 0 @5: PUT k=3#5",
                        "events 1 @5: PUT k=3#5");
    }

    @Test
    void filteredEventsAreNotSentAndNoEventIsNoResponse() {
        create(filtered(KeySpan.ALL, 0, true, false), "created 0 @1");
        create(filtered(KeySpan.ALL, 0, false, true), "created 1 @1");
        create(filtered(KeySpan.ALL, 0, true, true), "created 2 @1");
        history.put("a", "1");
        history.delete("a");
        history.put("a", "2");
        history.commit(Change.delete("a"), Change.put("b", "1"));
        settle();
        assertThat(sink.take())
                .containsExactly(
                        "events 1 @2: PUT a=1#2",
                        "events 0 @3: DEL a#3",
                        "events 1 @4: PUT a=2#4",
                        "events 0 @5: DEL a#5",
                        "events 1 @5: PUT b=1#5");
    }

    @Test
    void theFragmentFlagIsPassedToTheTransport() {
        create(
                new WatchRequest(0, KeySpan.ALL, 0, false, false, true, false, false),
                "created 0 @1");
        history.put("a", "1");
        settle();
        assertThat(sink.take()).containsExactly("events 0 @2 fragment: PUT a=1#2");
    }

    @Test
    void aNewWatcherGetsOnlyRevisionsAfterItsHeader() {
        history.put("a", "1");
        // The hub has not matched revision 2 yet when the watcher comes.
        stream.create(watch(KeySpan.ALL, 0));
        settle();
        history.put("a", "2");
        settle();
        assertThat(sink.take()).containsExactly("created 0 @2", "events 0 @3: PUT a=2#3");
    }

    @Test
    void aFutureStartRevisionSkipsEarlierEvents() {
        create(watch(KeySpan.ALL, 4), "created 0 @1");
        history.put("a", "1");
        history.put("a", "2");
        history.put("a", "3");
        history.put("a", "4");
        settle();
        assertThat(sink.take()).containsExactly("events 0 @4: PUT a=3#4", "events 0 @5: PUT a=4#5");
    }

    @Test
    void historyIsReplayedInOneResponseWithTheCurrentRevision() {
        history.put("a", "1");
        history.put("b", "1");
        history.put("a", "2");
        history.put("c", "1");
        create(watch(key("a"), 2), "created 0 @5", "events 0 @5: PUT a=1#2, PUT a=2#4");
        create(watch(key("a"), 5), "created 1 @5");
        create(watch(key("a"), 1), "created 2 @5", "events 2 @5: PUT a=1#2, PUT a=2#4");
        history.put("a", "3");
        settle();
        assertThat(sink.take())
                .containsExactlyInAnyOrder(
                        "events 0 @6: PUT a=3#6",
                        "events 1 @6: PUT a=3#6",
                        "events 2 @6: PUT a=3#6");
    }

    @Test
    void aLongReplayIsSentInPartsOfAThousandRevisions() {
        for (int i = 0; i < 1500; i++) {
            history.put("a", "v" + i);
        }
        stream.create(watch(key("a"), 2));
        settle();
        assertThat(sink.take())
                .satisfiesExactly(
                        created -> assertThat(created).isEqualTo("created 0 @1501"),
                        first ->
                                assertThat(first)
                                        .startsWith("events 0 @1501: PUT a=v0#2,")
                                        .endsWith("PUT a=v999#1001"),
                        second ->
                                assertThat(second)
                                        .startsWith("events 0 @1501: PUT a=v1000#1002,")
                                        .endsWith("PUT a=v1499#1501"));
    }

    @Test
    void idsAreChosenAsInEtcd() {
        create(watch(key("a"), 0), "created 0 @1");
        create(watch(key("a"), 0), "created 1 @1");
        create(withId(5, key("a"), 0), "created 5 @1");
        create(withId(3, key("a"), 0), "created 3 @1");
        create(watch(key("a"), 0), "created 2 @1");
        stream.cancel(2);
        settle();
        assertThat(sink.take()).containsExactly("canceled 2 @1");
        // 3 is taken, and 2 is not dealt twice.
        create(watch(key("a"), 0), "created 4 @1");
        create(watch(key("a"), 0), "created 6 @1");
        create(withId(2, key("a"), 0), "created 2 @1");
        create(withId(-1, key("a"), 0), "created -1 @1");
        create(withId(-7, key("a"), 0), "created -7 @1");
    }

    @Test
    void aUsedIdIsRefusedUntilItsWatcherIsCancelled() {
        create(withId(7, key("a"), 0), "created 7 @1");
        create(withId(7, key("b"), 0), "refused DUPLICATE_ID @1");
        stream.cancel(7);
        create(withId(7, key("b"), 0), "canceled 7 @1", "created 7 @1");
    }

    @Test
    void theReasonForARefusalIsTheFirstOneOfEtcd() {
        create(withId(7, key("a"), 0), "created 7 @1");
        create(withId(7, span("b", "a"), -1), "refused NEGATIVE_REVISION @1");
        create(withId(7, span("b", "a"), 0), "refused EMPTY_RANGE @1");
        create(withId(7, span("b", "b"), 0), "refused EMPTY_RANGE @1");
        create(withId(7, span("b", "\0"), 0), "refused DUPLICATE_ID @1");
        // A refusal deals no id.
        create(watch(key("a"), 0), "created 0 @1");
    }

    @Test
    void cancelEndsAWatcherAndAnUnknownIdHasNoResponse() {
        create(watch(key("a"), 0), "created 0 @1");
        stream.cancel(9);
        stream.cancel(0);
        stream.cancel(0);
        settle();
        history.put("a", "1");
        settle();
        assertThat(sink.take()).containsExactly("canceled 0 @1");
        assertThat(sink.callsTaken()).isEqualTo(4);
    }

    @Test
    void aStartBelowTheFloorIsCreatedAndThenCompacted() {
        history.put("a", "1");
        history.put("a", "2");
        history.put("a", "3");
        history.raiseFloor(3);
        create(watch(key("a"), 2), "created 0 @4", "compacted 0 below 3");
        // Its id stays taken until the client cancels, and that is answered.
        create(withId(0, key("a"), 0), "created 1 @4");
        create(withId(9, key("a"), 1), "created 9 @4", "compacted 9 below 3");
        create(withId(9, key("a"), 0), "refused DUPLICATE_ID @4");
        stream.cancel(9);
        create(withId(9, key("a"), 0), "canceled 9 @4", "created 9 @4");
    }

    @Test
    void replacedKeyValuesAreSentAboveTheFloorOnly() {
        history.put("a", "1");
        history.put("a", "2");
        history.put("a", "3");
        history.raiseFloor(3);
        create(withPrevKv(key("a"), 3), "created 0 @4", "events 0 @4: PUT a=2#3, PUT a=3#4 was 2");
        create(withPrevKv(key("a"), 4), "created 1 @4", "events 1 @4: PUT a=3#4 was 2");
    }

    @Test
    void compactionDoesNotEndASyncedWatcher() {
        create(withPrevKv(key("a"), 0), "created 0 @1");
        history.put("a", "1");
        history.put("a", "2");
        history.raiseFloor(3);
        settle();
        history.put("a", "3");
        settle();
        assertThat(sink.take())
                .containsExactly(
                        "events 0 @2: PUT a=1#2",
                        "events 0 @3: PUT a=2#3 was 1",
                        "events 0 @4: PUT a=3#4 was 2");
    }

    @Test
    void aClosedStreamGetsNothing() {
        create(watch(key("a"), 0), "created 0 @1");
        stream.create(watch(key("b"), 0));
        stream.close();
        stream.create(watch(key("c"), 0));
        settle();
        history.put("a", "1");
        settle();
        assertThat(sink.take()).containsExactly("created 1 @1");
        assertThat(fixture.hub.stats().streams()).isZero();
        assertThat(fixture.hub.stats().watchers()).isZero();
    }

    @Test
    void closingTheHubEndsAllStreamsAndLaterOnes() {
        create(watch(key("a"), 0), "created 0 @1");
        RecordingSink other = new RecordingSink();
        fixture.open(other);
        fixture.hub.close(ErrorKind.STOPPED);
        RecordingSink late = new RecordingSink();
        fixture.hub.open(late);
        settle();
        history.put("a", "1");
        settle();
        assertThat(sink.take()).containsExactly("failed STOPPED");
        assertThat(other.take()).containsExactly("failed STOPPED");
        assertThat(late.take()).containsExactly("failed STOPPED");
        RecordingSink latest = new RecordingSink();
        fixture.hub.open(latest).create(watch(key("a"), 0));
        settle();
        assertThat(latest.take()).containsExactly("failed STOPPED");
        assertThat(fixture.hub.stats().watchers()).isZero();
    }

    @Test
    void aTransportThatThrowsEndsOnlyItsStream() {
        for (Throwable cause :
                List.of(new IllegalStateException("no call"), new OutOfMemoryError("direct"))) {
            RecordingSink broken = new RecordingSink();
            fixture.open(broken).create(watch(key("a"), 0));
            settle();
            broken.take();
            broken.breakWith(cause);
            history.put("b", "1");
            history.put("a", "1");
            settle();
            assertThat(broken.take()).containsExactly("failed WATCH_INTERRUPTED");
        }
        create(watch(key("a"), 2), "created 0 @5", "events 0 @5: PUT a=1#3, PUT a=1#5");
        assertThat(fixture.hub.stats().streams()).isEqualTo(1);
        assertThat(fixture.hub.stats().watchers()).isEqualTo(1);
    }

    @Test
    void commitsWakeTheHubOnlyWhileAStreamIsOpen() {
        history.put("a", "1");
        assertThat(fixture.simulated.watch().runOne()).isTrue();
        stream.close();
        settle();
        history.put("a", "2");
        assertThat(fixture.simulated.watch().runOne()).isFalse();
        assertThat(fixture.hub.stats().ring().last()).isEqualTo(3);
    }

    @Test
    void aStreamOpenedAfterUnwatchedCommitsGetsAllLaterOnes() {
        stream.close();
        settle();
        history.put("a", "1");
        history.put("a", "2");
        RecordingSink next = new RecordingSink();
        WatchStream opened = fixture.hub.open(next);
        opened.create(watch(key("a"), 0));
        history.put("a", "3"); // before the hub has taken a turn
        settle();
        history.put("a", "4");
        settle();
        assertThat(next.take()).containsExactly("created 0 @4", "events 0 @5: PUT a=4#5");
        opened.create(watch(key("a"), 3));
        settle();
        assertThat(next.take())
                .containsExactly("created 1 @5", "events 1 @5: PUT a=2#3, PUT a=3#4, PUT a=4#5");
    }

    @Test
    void statisticsCountStreamsWatchersAndEvents() {
        create(watch(key("a"), 0), "created 0 @1");
        create(watch(key("a"), 0), "created 1 @1");
        sink.limit(1);
        history.put("a", "1");
        settle();
        WatchStats stats = fixture.hub.stats();
        assertThat(stats.streams()).isEqualTo(1);
        assertThat(stats.watchers()).isEqualTo(2);
        assertThat(stats.unsynced()).isEqualTo(1);
        assertThat(stats.eventsSent()).isEqualTo(1);
        assertThat(stats.ring().bytes()).isPositive();
    }

    private void create(WatchRequest request, String... answers) {
        stream.create(request);
        settle();
        assertThat(sink.take()).containsExactly(answers);
    }

    private void settle() {
        fixture.simulated.run();
    }
}
