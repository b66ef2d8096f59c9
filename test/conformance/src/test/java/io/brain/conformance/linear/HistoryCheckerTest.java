package io.brain.conformance.linear;

import static io.brain.conformance.linear.HistoryBuilder.delete;
import static io.brain.conformance.linear.HistoryBuilder.get;
import static io.brain.conformance.linear.HistoryBuilder.list;
import static io.brain.conformance.linear.HistoryBuilder.put;
import static io.brain.conformance.linear.HistoryBuilder.serializableGet;
import static io.brain.conformance.linear.HistoryBuilder.swap;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.linear.Operation.Outcome;
import io.brain.conformance.linear.Violation.Kind;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {

    private final HistoryBuilder history = new HistoryBuilder();

    @Test
    void aGoodHistoryHasNoViolation() {
        history.done(0, 10, put("a", "1"));
        history.done(5, 12, put("b", "2"));
        history.done(11, 20, swap("a", "1", "3"));
        history.done(13, 22, swap("a", "1", "4"));
        history.done(21, 30, list());
        history.unknown(25, put("a", "5"));
        history.lost(26, put("a", "6"), Outcome.UNKNOWN);
        history.lost(27, put("a", "7"), Outcome.FAILED);
        history.done(31, 40, delete("a"));
        history.done(41, 50, delete("a"));
        history.done(51, 60, get("a"));
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void anAcknowledgedWriteThatTheLogLacksIsLost() {
        history.done(0, 10, put("a", "1"));
        history.operations.add(history.answer(11, 20, put("b", "2"), 2));
        assertThat(history.violations()).containsExactly(Kind.LOST);
    }

    @Test
    void anAcknowledgedWriteInWhosePlaceIsAnotherIsLostAndTheOtherUnexplained() {
        Operation lost = history.answer(0, 10, put("a", "1"), 1);
        history.operations.add(lost);
        history.unknown(0, put("b", "2"));
        assertThat(history.violations()).containsExactly(Kind.LOST);
    }

    @Test
    void twoWritesOfOneRevisionAreSeen() {
        history.operations.add(history.answer(0, 10, put("a", "1"), 1));
        history.done(0, 10, put("a", "1"));
        assertThat(history.violations()).containsExactly(Kind.TWICE);
    }

    @Test
    void withoutALogTwoWritesOfOneRevisionAndStaleReadsAreSeenStill() {
        history.operations.add(history.answer(0, 10, put("a", "1"), 1));
        history.done(0, 10, put("a", "2"));
        history.operations.add(history.answer(11, 20, get("a"), 1));
        assertThat(violationsWithoutLog()).containsExactly(Kind.TWICE, Kind.REAL_TIME);
    }

    @Test
    void withoutALogAReadThatForgetsAnAcknowledgedPutIsSeenStill() {
        history.done(0, 1, put("a", "1"));
        history.done(2, 3, put("b", "1"));
        Operation old = history.done(4, 5, list());
        history.done(6, 7, put("a", "2"));
        history.done(8, 9, list());
        assertThat(violationsWithoutLog()).isEmpty();
        history.operations.add(
                new Operation(
                        "stale", old.at(), 10, 11, old.request(), old.answer(), 4, Outcome.OK));
        assertThat(violationsWithoutLog()).containsExactly(Kind.LOST);
    }

    @Test
    void withoutALogAnAcknowledgedPutInWhosePlaceIsAnotherIsSeenStill() {
        history.operations.add(history.answer(0, 10, put("a", "1"), 1));
        history.unknown(0, put("a", "2"));
        history.done(11, 12, get("a"));
        assertThat(violationsWithoutLog()).containsExactly(Kind.LOST);
    }

    @Test
    void withoutALogAListOfKeysAloneMissesNoValue() {
        history.done(0, 10, put("a", "1"));
        TxnRequest.Builder list = list().toBuilder();
        list.getSuccessBuilder(0).getRequestRangeBuilder().setKeysOnly(true);
        history.done(11, 12, list.build());
        assertThat(violationsWithoutLog()).isEmpty();
    }

    private List<Kind> violationsWithoutLog() {
        History withoutLog =
                new History(
                        history.operations,
                        new EventLog(),
                        0,
                        history.observations,
                        history.watchers);
        return HistoryChecker.checkWithoutLog(withoutLog).violations().stream()
                .map(Violation::kind)
                .toList();
    }

    @Test
    void aWriteAppliedAgainIsUnexplained() {
        history.done(0, 10, put("a", "1"));
        Operation again = history.unknown(0, put("a", "1"));
        history.operations.remove(again);
        assertThat(history.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void anUnknownWriteAppliedTwiceIsUnexplained() {
        history.unknown(0, put("a", "1"));
        history.operations.remove(history.unknown(0, put("a", "1")));
        assertThat(history.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void aFailedWriteThatHappenedIsUnexplained() {
        Operation failed = history.unknown(0, put("a", "1"));
        history.operations.remove(failed);
        history.lost(0, put("a", "1"), Outcome.FAILED);
        assertThat(history.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void unknownDeletesAreMatchedSoThatAllFit() {
        history.done(0, 1, put("a", "1"));
        history.unknown(2, delete("a")); // could explain both deletes
        history.done(3, 4, put("a", "2"));
        history.unknown(5, delete("a")); // only the second
        history.done(6, 7, get("a"));
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void anUnknownDeleteHappensOnceOnly() {
        history.done(0, 1, put("a", "1"));
        history.unknown(2, delete("a"));
        history.done(3, 4, put("a", "2"));
        history.operations.remove(history.unknown(5, delete("a")));
        assertThat(history.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void anUnknownWriteBeforeItWasSentIsUnexplained() {
        history.unknown(0, put("a", "1"));
        Operation late = history.operations.remove(0);
        history.done(1, 5, get("a"));
        history.operations.add(late.during(6, Long.MAX_VALUE));
        assertThat(history.violations()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void aGapInTheLogIsSeen() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("b", "2"));
        history.done(21, 30, put("c", "3"));
        history.operations.remove(1);
        history.rewriteLog(3, List.of());
        assertThat(history.violations()).containsExactly(Kind.GAP);
    }

    @Test
    void aStaleReadIsSeen() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("a", "2"));
        history.operations.add(history.answer(21, 30, get("a"), 2));
        assertThat(history.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aReadThatOverlapsTheWriteMayBeOlder() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("a", "2"));
        history.operations.add(history.answer(19, 30, get("a"), 2));
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void aReadOlderThanWhatAWatcherHeldIsSeen() {
        history.unknown(0, put("a", "1"));
        history.observations.add(new RevisionObservation(5, 2));
        history.operations.add(history.answer(6, 10, get("a"), 1));
        assertThat(history.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aWriteOrderedBeforeOneThatHadEndedIsSeen() {
        history.done(20, 30, put("a", "1"));
        history.done(0, 10, put("b", "2"));
        assertThat(history.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void anAnswerThatTheModelDoesNotGiveIsSeen() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("a", "2"));
        Operation good = history.operations.remove(1);
        Operation other = history.answer(11, 20, put("a", "2"), 1);
        history.operations.add(
                new Operation(
                        "op", good.at(), 11, 20, good.request(), other.answer(), 3, Outcome.OK));
        Operation read = history.answer(21, 30, get("a"), 2);
        history.operations.add(
                new Operation(
                        "op", read.at(), 21, 30, read.request(), read.answer(), 3, Outcome.OK));
        assertThat(history.violations()).containsExactly(Kind.WRONG_ANSWER, Kind.WRONG_ANSWER);
    }

    @Test
    void aFailedCompareIsReadAtItsOwnRevision() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("a", "2"));
        Operation failed = history.answer(12, 20, swap("a", "2", "3"), 2);
        history.operations.add(failed);
        assertThat(history.violations()).isEmpty();
        history.operations.remove(failed);
        history.operations.add(failed.during(21, 30));
        assertThat(history.violations()).containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aSerializableReadMayBeOldButNotGoBack() {
        history.done(0, 10, put("a", "1"));
        history.operations.add(history.answer(11, 12, serializableGet("a"), 2));
        assertThat(history.violations()).isEmpty();
        history.operations.add(history.answer(13, 14, serializableGet("a"), 1));
        assertThat(history.violations()).containsExactly(Kind.BACKWARDS);
    }

    @Test
    void watchersAreComparedWithTheLog() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("b", "2"));
        history.done(21, 30, delete("a"));
        Event first = history.log.at(2).get(0);
        Event second = history.log.at(3).get(0);
        Event third = history.log.at(4).get(0);
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
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("a", "2"));
        history.done(21, 30, put("a", "3"));
        Event first = history.log.at(2).get(0);
        Event second = history.log.at(3).get(0);
        Event third = history.log.at(4).get(0);
        Event bare = second.toBuilder().clearPrevKv().build();
        assertThat(watched(first, bare, third)).containsExactly(Kind.WATCH_GAP, Kind.WATCH_WRONG);
        history.compacted = 3;
        assertThat(watched(first, bare, third)).isEmpty();
        WatcherRecord told = new WatcherRecord("told", Keys.ZERO, Keys.ZERO, true);
        told.skip(2, 3);
        assertThat(watched(told, third)).isEmpty();
        history.compacted = 2;
        assertThat(watched(told)).containsExactly(Kind.WATCH_GAP);
    }

    private List<Kind> watched(Event... events) {
        return watched(new WatcherRecord("w", Keys.ZERO, Keys.ZERO, true), events);
    }

    private List<Kind> watched(WatcherRecord watcher, Event... events) {
        List.of(events).forEach(watcher::add);
        history.watchers.clear();
        history.watchers.add(watcher);
        return history.violations();
    }
}
