package io.brain.conformance.cluster.durability;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.durability.LeaseCheck.Granted;
import io.brain.conformance.cluster.durability.LeaseCheck.Shown;
import io.brain.conformance.cluster.durability.Violation.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The check of leases must be able to fail, too. Times are seconds. */
class LeaseCheckTest {

    private static final long SENT = 100;
    private static final long LAUNCHED = 105;
    private static final Granted LONG = new Granted(7, LeaseCheck.LONG, seconds(SENT), true);
    private static final Granted SHORT = new Granted(8, Duration.ofSeconds(3), seconds(SENT), true);

    private final HistoryCheck check = new HistoryCheck(1);

    @Test
    void leasesWithTheirKeysAreAsTheyMustBe() {
        attach();
        compare(107, new Shown(7, 99_990, List.of("l")), new Shown(8, 1, List.of("s")));
        assertThat(check.violations()).isEmpty();
    }

    @Test
    void acknowledgedGrantThatIsGoneIsReported() {
        compare(200, new Shown(8, 1, List.of()));
        assertReported();
    }

    @Test
    void unansweredGrantMayBeThereOrNot() {
        Granted unknown = new Granted(7, LeaseCheck.LONG, seconds(SENT), false);
        new LeaseCheck(check).compare(List.of(unknown), Map.of(), seconds(105), seconds(106));
        Shown shown = new Shown(7, 99_999, List.of());
        new LeaseCheck(check)
                .compare(List.of(unknown), Map.of(7L, shown), seconds(105), seconds(106));
        assertThat(check.violations()).isEmpty();
    }

    @Test
    void lostAttachmentIsReported() {
        attach();
        compare(107, new Shown(7, 99_990, List.of()), new Shown(8, 1, List.of("s")));
        assertReported();
    }

    @Test
    void shortLeaseHasItsWholeTimeAfterAStart() {
        compare(107, new Shown(7, 99_990, List.of()));
        assertReported();
    }

    @Test
    void shortLeaseMayBeGoneWhenItsTimeIsOver() {
        compare(108, new Shown(7, 99_990, List.of()));
        assertThat(check.violations()).isEmpty();
    }

    @Test
    void leaseThatMayHaveEndedBeforeAKillMayBeGoneAfterIt() {
        Granted sure = SHORT.afterStop(seconds(101), seconds(103));
        assertThat(sure).isEqualTo(SHORT);
        Granted unsure = SHORT.afterStop(seconds(101), seconds(104));
        new LeaseCheck(check).compare(List.of(unsure), Map.of(), seconds(105), seconds(106));
        assertThat(check.violations()).isEmpty();
    }

    @Test
    void leaseWhoseEndIsInTheHistoryMustNotLive() {
        attach();
        NavigableMap<Long, List<Change>> history = new TreeMap<>();
        history.put(4L, List.of(Change.delete("l")));
        check.check(List.of(Attempt.acknowledged(new Write.Revoke(7), 4)), history, 4);
        compare(107, new Shown(7, 99_990, List.of()), new Shown(8, 1, List.of("s")));
        assertReported();
    }

    @Test
    void leaseThatLivesLongerThanItWasGrantedForIsReported() {
        compare(107, new Shown(7, 9, List.of()), new Shown(8, 4, List.of()));
        assertReported();
    }

    private void attach() {
        NavigableMap<Long, List<Change>> history = new TreeMap<>();
        history.put(2L, List.of(Change.put("l", "t1", 7)));
        history.put(3L, List.of(Change.put("s", "t2", 8)));
        List<Attempt> puts =
                List.of(
                        Attempt.acknowledged(new Write.Put("l", "t1", 7), 2),
                        Attempt.acknowledged(new Write.Put("s", "t2", 8), 3));
        check.check(puts, history, 3);
    }

    private void compare(long atSecond, Shown... shown) {
        Map<Long, Shown> byId = new TreeMap<>();
        for (Shown lease : shown) {
            byId.put(lease.id(), lease);
        }
        new LeaseCheck(check)
                .compare(List.of(LONG, SHORT), byId, seconds(LAUNCHED), seconds(atSecond));
    }

    private void assertReported() {
        assertThat(check.violations()).extracting(Violation::kind).containsExactly(Kind.LEASE);
    }

    private static long seconds(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }
}
