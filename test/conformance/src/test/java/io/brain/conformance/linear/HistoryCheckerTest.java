package io.brain.conformance.linear;

import static io.brain.conformance.linear.Tale.delete;
import static io.brain.conformance.linear.Tale.get;
import static io.brain.conformance.linear.Tale.list;
import static io.brain.conformance.linear.Tale.put;
import static io.brain.conformance.linear.Tale.serializableGet;
import static io.brain.conformance.linear.Tale.swap;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.linear.Operation.Outcome;
import io.brain.conformance.linear.Violation.Kind;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {

    private final Tale tale = new Tale();

    @Test
    void aGoodHistoryHasNoViolation() {
        tale.done(0, 10, put("a", "1"));
        tale.done(5, 12, put("b", "2"));
        tale.done(11, 20, swap("a", "1", "3"));
        tale.done(13, 22, swap("a", "1", "4"));
        tale.done(21, 30, list());
        tale.unknown(25, put("a", "5"));
        tale.lost(26, put("a", "6"), Outcome.UNKNOWN);
        tale.lost(27, put("a", "7"), Outcome.FAILED);
        tale.done(31, 40, delete("a"));
        tale.done(41, 50, delete("a"));
        tale.done(51, 60, get("a"));
        assertThat(tale.violations()).isEmpty();
    }

    @Test
    void anAcknowledgedWriteThatTheLogLacksIsLost() {
        tale.done(0, 10, put("a", "1"));
        tale.operations.add(tale.answer(11, 20, put("b", "2"), 2));
        assertThat(tale.violations()).containsExactly(Kind.LOST);
    }

    @Test
    void anAcknowledgedWriteInWhosePlaceIsAnotherIsLostAndTheOtherUnexplained() {
        Operation lost = tale.answer(0, 10, put("a", "1"), 1);
        tale.operations.add(lost);
        tale.unknown(0, put("b", "2"));
        assertThat(tale.violations()).containsExactly(Kind.LOST);
    }

    @Test
    void twoWritesOfOneRevisionAreSeen() {
        tale.operations.add(tale.answer(0, 10, put("a", "1"), 1));
        tale.done(0, 10, put("a", "1"));
        assertThat(tale.violations()).containsExactly(Kind.TWICE);
    }

    @Test
    void withoutALogTwoWritesOfOneRevisionAndStaleReadsAreSeenStill() {
        tale.operations.add(tale.answer(0, 10, put("a", "1"), 1));
        tale.done(0, 10, put("a", "2"));
        tale.operations.add(tale.answer(11, 20, get("a"), 1));
        assertThat(violationsWithoutLog()).containsExactly(Kind.TWICE, Kind.REAL_TIME);
    }

    @Test
    void withoutALogAReadThatForgetsAnAcknowledgedPutIsSeenStill() {
        tale.done(0, 1, put("a", "1"));
        tale.done(2, 3, put("b", "1"));
        Operation old = tale.done(4, 5, list());
        tale.done(6, 7, put("a", "2"));
        tale.done(8, 9, list());
        assertThat(violationsWithoutLog()).isEmpty();
        tale.operations.add(
                new Operation(
                        "stale", old.at(), 10, 11, old.request(), old.answer(), 4, Outcome.OK));
        assertThat(violationsWithoutLog()).containsExactly(Kind.LOST);
    }

    @Test
    void withoutALogAnAcknowledgedPutInWhosePlaceIsAnotherIsSeenStill() {
        tale.operations.add(tale.answer(0, 10, put("a", "1"), 1));
        tale.unknown(0, put("a", "2"));
        tale.done(11, 12, get("a"));
        assertThat(violationsWithoutLog()).containsExactly(Kind.LOST);
    }

    @Test
    void withoutALogAListOfKeysAloneMissesNoValue() {
        tale.done(0, 10, put("a", "1"));
        TxnRequest.Builder list = list().toBuilder();
        list.getSuccessBuilder(0).getRequestRangeBuilder().setKeysOnly(true);
        tale.done(11, 12, list.build());
        assertThat(violationsWithoutLog()).isEmpty();
    }

    private List<Kind> violationsWithoutLog() {
        History history =
                new History(tale.operations, new EventLog(), 0, tale.sightings, tale.watchers);
        return HistoryChecker.checkWithoutLog(history).violations().stream()
                .map(Violation::kind)
                .toList();
    }

    @Test
    void aWriteAppliedAgainIsUnexplained() {
        tale.done(0, 10, put("a", "1"));
        Operation again = tale.unknown(0, put("a", "1"));
        tale.operations.remove(again);
        assertThat(tale.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void anUnknownWriteAppliedTwiceIsUnexplained() {
        tale.unknown(0, put("a", "1"));
        tale.operations.remove(tale.unknown(0, put("a", "1")));
        assertThat(tale.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void aFailedWriteThatHappenedIsUnexplained() {
        Operation failed = tale.unknown(0, put("a", "1"));
        tale.operations.remove(failed);
        tale.lost(0, put("a", "1"), Outcome.FAILED);
        assertThat(tale.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void unknownDeletesAreMatchedSoThatAllFit() {
        tale.done(0, 1, put("a", "1"));
        tale.unknown(2, delete("a")); // could explain both deletes
        tale.done(3, 4, put("a", "2"));
        tale.unknown(5, delete("a")); // only the second
        tale.done(6, 7, get("a"));
        assertThat(tale.violations()).isEmpty();
    }

    @Test
    void anUnknownDeleteHappensOnceOnly() {
        tale.done(0, 1, put("a", "1"));
        tale.unknown(2, delete("a"));
        tale.done(3, 4, put("a", "2"));
        tale.operations.remove(tale.unknown(5, delete("a")));
        assertThat(tale.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void anUnknownWriteBeforeItWasSentIsUnexplained() {
        tale.unknown(0, put("a", "1"));
        Operation late = tale.operations.remove(0);
        tale.done(1, 5, get("a"));
        tale.operations.add(late.during(6, Long.MAX_VALUE));
        assertThat(tale.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void aGapInTheLogIsSeen() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("b", "2"));
        tale.done(21, 30, put("c", "3"));
        tale.operations.remove(1);
        tale.rewriteLog(3, List.of());
        assertThat(tale.violations()).containsExactly(Kind.GAP);
    }

    @Test
    void aStaleReadIsSeen() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("a", "2"));
        tale.operations.add(tale.answer(21, 30, get("a"), 2));
        assertThat(tale.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aReadThatOverlapsTheWriteMayBeOlder() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("a", "2"));
        tale.operations.add(tale.answer(19, 30, get("a"), 2));
        assertThat(tale.violations()).isEmpty();
    }

    @Test
    void aReadOlderThanWhatAWatcherHeldIsSeen() {
        tale.unknown(0, put("a", "1"));
        tale.sightings.add(new Sighting(5, 2));
        tale.operations.add(tale.answer(6, 10, get("a"), 1));
        assertThat(tale.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aWriteOrderedBeforeOneThatHadEndedIsSeen() {
        tale.done(20, 30, put("a", "1"));
        tale.done(0, 10, put("b", "2"));
        assertThat(tale.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void anAnswerThatTheModelDoesNotGiveIsSeen() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("a", "2"));
        Operation good = tale.operations.remove(1);
        Operation other = tale.answer(11, 20, put("a", "2"), 1);
        tale.operations.add(
                new Operation(
                        "op", good.at(), 11, 20, good.request(), other.answer(), 3, Outcome.OK));
        Operation read = tale.answer(21, 30, get("a"), 2);
        tale.operations.add(
                new Operation(
                        "op", read.at(), 21, 30, read.request(), read.answer(), 3, Outcome.OK));
        assertThat(tale.violations()).containsExactly(Kind.WRONG_ANSWER, Kind.WRONG_ANSWER);
    }

    @Test
    void aFailedCompareIsReadAtItsOwnRevision() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("a", "2"));
        Operation failed = tale.answer(12, 20, swap("a", "2", "3"), 2);
        tale.operations.add(failed);
        assertThat(tale.violations()).isEmpty();
        tale.operations.remove(failed);
        tale.operations.add(failed.during(21, 30));
        assertThat(tale.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aSerializableReadMayBeOldButNotGoBack() {
        tale.done(0, 10, put("a", "1"));
        tale.operations.add(tale.answer(11, 12, serializableGet("a"), 2));
        assertThat(tale.violations()).isEmpty();
        tale.operations.add(tale.answer(13, 14, serializableGet("a"), 1));
        assertThat(tale.violations()).containsExactly(Kind.BACKWARDS);
    }

    @Test
    void watchersAreComparedWithTheLog() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("b", "2"));
        tale.done(21, 30, delete("a"));
        Event first = tale.log.at(2).get(0);
        Event second = tale.log.at(3).get(0);
        Event third = tale.log.at(4).get(0);
        Event wrong = third.toBuilder().clearPrevKv().build();
        assertThat(watched(first, second, third)).isEmpty();
        assertThat(watched(first, third)).containsExactly(Kind.WATCH_GAP);
        assertThat(watched(first, second)).containsExactly(Kind.WATCH_GAP);
        assertThat(watched(first, second, second, third)).containsExactly(Kind.WATCH_DUPLICATE);
        assertThat(watched(second, first, third)).containsExactly(Kind.WATCH_DISORDER);
        assertThat(watched(first, second, wrong)).containsExactly(Kind.WATCH_GAP, Kind.WATCH_WRONG);
    }

    @Test
    void whatACompactionTookIsNotMissed() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("a", "2"));
        tale.done(21, 30, put("a", "3"));
        Event first = tale.log.at(2).get(0);
        Event second = tale.log.at(3).get(0);
        Event third = tale.log.at(4).get(0);
        Event bare = second.toBuilder().clearPrevKv().build();
        assertThat(watched(first, bare, third)).containsExactly(Kind.WATCH_GAP, Kind.WATCH_WRONG);
        tale.compacted = 3;
        assertThat(watched(first, bare, third)).isEmpty();
        WatcherRecord told = new WatcherRecord("told", Keys.ZERO, Keys.ZERO, true);
        told.skip(2, 3);
        assertThat(watched(told, third)).isEmpty();
        tale.compacted = 2;
        assertThat(watched(told)).containsExactly(Kind.WATCH_GAP);
    }

    private List<Kind> watched(Event... events) {
        return watched(new WatcherRecord("w", Keys.ZERO, Keys.ZERO, true), events);
    }

    private List<Kind> watched(WatcherRecord watcher, Event... events) {
        List.of(events).forEach(watcher::add);
        tale.watchers.clear();
        tale.watchers.add(watcher);
        return tale.violations();
    }
}
