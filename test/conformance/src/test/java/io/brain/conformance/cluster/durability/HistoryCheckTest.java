package io.brain.conformance.cluster.durability;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.durability.Violation.Kind;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The check that the kill rounds rest on must itself be able to fail. */
class HistoryCheckTest {

    private static final Write A = new Write.Put("a", "t1", 0);
    private static final Write PAIR = new Write.PutAll(List.of("x", "y"), "t2");
    private static final Write DELETE_A = new Write.Delete("a", "a\0");
    private static final Write MOVE = new Write.Move(List.of("x", "y"), List.of("a"), "t6");
    private static final List<Attempt> LEASED_PAIR =
            List.of(at(2, new Write.Put("l/1", "t4", 7)), at(3, new Write.Put("l/2", "t5", 7)));

    private final HistoryCheck check = new HistoryCheck(1);
    private final NavigableMap<Long, List<Change>> history = new TreeMap<>();

    @Test
    void wholeHistoryHasNoViolation() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(put("x", "t2"), put("y", "t2")));
        history.put(4L, List.of(Change.delete("a")));
        check.check(List.of(at(2, A), at(3, PAIR), at(4, DELETE_A)), history, 4);
        assertThat(check.violations()).isEmpty();
        assertThat(check.model().items().keySet()).containsExactly("x", "y");
    }

    @Test
    void missingAcknowledgedWriteIsLost() {
        history.put(2L, List.of(put("a", "t1")));
        check.check(List.of(at(2, A), at(3, PAIR)), history, 2);
        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void missingAcknowledgedDeleteIsLost() {
        history.put(2L, List.of(put("a", "t1")));
        check.check(List.of(at(2, A), at(3, DELETE_A)), history, 2);
        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void halfOfATransactionIsTorn() {
        history.put(2L, List.of(put("x", "t2")));
        check.check(List.of(at(2, PAIR)), history, 2);
        assertThat(kinds()).containsExactly(Kind.TORN);
    }

    @Test
    void halfOfATransactionIsTornEvenWithoutAnAnswer() {
        history.put(2L, List.of(put("y", "t2")));
        check.check(List.of(Attempt.unknown(PAIR)), history, 2);
        assertThat(kinds()).containsExactly(Kind.TORN);
    }

    @Test
    void anotherRevisionThanTheAcknowledgedOneIsMoved() {
        history.put(2L, List.of(put("x", "t2"), put("y", "t2")));
        history.put(3L, List.of(put("a", "t1")));
        check.check(List.of(at(2, A), at(3, PAIR)), history, 3);
        assertThat(kinds()).containsExactly(Kind.MOVED, Kind.MOVED);
    }

    @Test
    void revisionWithoutEventsIsAGap() {
        history.put(3L, List.of(put("a", "t1")));
        check.check(List.of(at(3, A)), history, 3);
        assertThat(kinds()).containsExactly(Kind.GAP);
    }

    @Test
    void revisionThatGoesBackIsAGap() {
        history.put(2L, List.of(put("a", "t1")));
        check.check(List.of(at(2, A)), history, 2);
        check.check(List.of(), new TreeMap<>(), 1);
        assertThat(kinds()).containsExactly(Kind.GAP);
    }

    @Test
    void unansweredWriteMayHaveHappenedOnceOrNot() {
        history.put(2L, List.of(put("a", "t1")));
        check.check(List.of(Attempt.unknown(A), Attempt.unknown(PAIR)), history, 2);
        assertThat(check.violations()).isEmpty();
        assertThat(check.landedUnknown()).isEqualTo(1);
    }

    @Test
    void writeThatHappenedTwiceIsUnexplained() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(put("a", "t1")));
        check.check(List.of(at(2, A)), history, 3);
        assertThat(kinds()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void swapAgainstAnotherRevisionIsUnexplained() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(put("a", "t3")));
        check.check(List.of(at(2, A), at(3, new Write.Swap("a", 1, "t3"))), history, 3);
        assertThat(kinds()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void refusedSwapThatHappenedIsMoved() {
        history.put(2L, List.of(put("a", "t3")));
        Write swap = new Write.Swap("a", 0, "t3");
        check.check(List.of(Attempt.withoutEffect(swap, 1)), history, 2);
        assertThat(kinds()).containsExactly(Kind.MOVED);
    }

    @Test
    void aDeleteWithoutARequestIsUnexplained() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(Change.delete("a")));
        check.check(List.of(at(2, A)), history, 3);
        assertThat(kinds()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void revokeExplainsTheDeletesOfItsKeysTogether() {
        Write leased = new Write.Put("l/1", "t4", 7);
        Write alsoLeased = new Write.Put("l/2", "t5", 7);
        history.put(2L, List.of(Change.put("l/1", "t4", 7)));
        history.put(3L, List.of(Change.put("l/2", "t5", 7)));
        history.put(4L, List.of(Change.delete("l/1"), Change.delete("l/2")));
        Attempt revoke = at(9, new Write.Revoke(7));
        check.check(List.of(at(2, leased), at(3, alsoLeased), revoke), history, 4);
        assertThat(check.violations()).isEmpty();
        assertThat(check.endedLeases()).containsExactly(7L);
    }

    @Test
    void revokeThatLeftAKeyBehindIsTorn() {
        history.put(2L, List.of(Change.put("l/1", "t4", 7)));
        history.put(3L, List.of(Change.put("l/2", "t5", 7)));
        history.put(4L, List.of(Change.delete("l/1")));
        Write first = new Write.Put("l/1", "t4", 7);
        Write second = new Write.Put("l/2", "t5", 7);
        check.check(List.of(at(2, first), at(3, second), at(4, new Write.Revoke(7))), history, 4);
        assertThat(kinds()).containsExactly(Kind.TORN);
    }

    @Test
    void eventThatAWatcherSawAndIsGoneIsForgotten() {
        NavigableMap<Long, List<Change>> seen = new TreeMap<>();
        seen.put(2L, List.of(put("a", "t1")));
        check.checkSeen(seen, history);
        assertThat(kinds()).containsExactly(Kind.FORGOTTEN);
    }

    @Test
    void damagedValueIsNoToken() {
        byte[] value = Payload.of("r1w1-5").toByteArray();
        assertThat(Payload.token(Payload.of("r1w1-5"))).isEqualTo("r1w1-5");
        value[value.length - 1] ^= 1;
        assertThat(Payload.token(com.google.protobuf.ByteString.copyFrom(value)))
                .startsWith("damaged value");
    }

    @Test
    void leaseThatExpiresTakesAllItsKeysOnce() {
        leasedPair();
        history.put(4L, List.of(Change.delete("l/1"), Change.delete("l/2")));
        check.mayExpire(7);
        check.check(LEASED_PAIR, history, 4);
        assertThat(check.violations()).isEmpty();
        assertThat(check.expired()).isEqualTo(1);
        assertThat(check.landedUnknown()).isZero();
    }

    @Test
    void leaseThatExpiresAndLeavesAKeyBehindIsTorn() {
        leasedPair();
        history.put(4L, List.of(Change.delete("l/2")));
        check.mayExpire(7);
        check.check(LEASED_PAIR, history, 4);
        assertThat(kinds()).containsExactly(Kind.TORN);
    }

    @Test
    void leaseThatMustNotExpireYetExplainsNothing() {
        leasedPair();
        history.put(4L, List.of(Change.delete("l/1"), Change.delete("l/2")));
        check.check(LEASED_PAIR, history, 4);
        assertThat(kinds()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void putThatLostItsLeaseIsTorn() {
        history.put(2L, List.of(put("l/1", "t4")));
        check.check(List.of(at(2, new Write.Put("l/1", "t4", 7))), history, 2);
        assertThat(kinds()).containsExactly(Kind.TORN);
    }

    @Test
    void movePutsAndDeletesInOneRevision() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(put("x", "t6"), put("y", "t6"), Change.delete("a")));
        check.check(List.of(at(2, A), at(3, MOVE)), history, 3);
        assertThat(check.violations()).isEmpty();
        assertThat(check.model().items().keySet()).containsExactly("x", "y");
    }

    @Test
    void moveWithoutItsDeletesOrWithoutItsPutsIsTorn() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(put("x", "t6"), put("y", "t6")));
        check.check(List.of(at(2, A), at(3, MOVE)), history, 3);
        assertThat(kinds()).containsExactly(Kind.TORN);
        HistoryCheck other = new HistoryCheck(1);
        history.put(3L, List.of(Change.delete("a")));
        other.check(List.of(at(2, A), Attempt.unknown(MOVE)), history, 3);
        assertThat(other.violations()).extracting(Violation::kind).containsExactly(Kind.TORN);
    }

    @Test
    void aRevisionThatTwoAnswersNameLosesOneOfTheWrites() {
        history.put(2L, List.of(put("a", "t1")));
        check.check(List.of(at(2, A), at(2, new Write.Put("b", "t7", 0))), history, 2);
        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void aMissingRevisionThatAnAnswerNamedIsAGap() {
        history.put(2L, List.of(put("a", "t1")));
        Attempt refused = Attempt.withoutEffect(new Write.Swap("a", 0, "t3"), 3);
        check.check(List.of(at(2, A), refused), history, 2);
        assertThat(kinds()).containsExactly(Kind.GAP);
    }

    @Test
    void watcherThatMissedARevisionSawAGap() {
        history.put(2L, List.of(put("a", "t1")));
        history.put(3L, List.of(put("a", "t2")));
        history.put(4L, List.of(put("a", "t3")));
        NavigableMap<Long, List<Change>> seen = new TreeMap<>(history);
        seen.remove(3L);
        check.checkSeen(seen, history);
        assertThat(kinds()).containsExactly(Kind.GAP);
    }

    private void leasedPair() {
        history.put(2L, List.of(Change.put("l/1", "t4", 7)));
        history.put(3L, List.of(Change.put("l/2", "t5", 7)));
    }

    private List<Kind> kinds() {
        return check.violations().stream().map(Violation::kind).toList();
    }

    private static Attempt at(long revision, Write write) {
        return Attempt.acknowledged(write, revision);
    }

    private static Change put(String key, String token) {
        return Change.put(key, token, 0);
    }
}
