package io.brain.backend.compact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.SimulatedRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The newest revision here is always the number of minutes that have passed, plus one. */
class AutoCompactorTest {
    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final List<String> asked = new ArrayList<>();
    private boolean leads = true;
    private ErrorKind failure;
    private Long fixedRevision;

    @Test
    void nothingHappensUnlessAskedFor() {
        start(AutoCompactSettings.OFF);
        advance(Duration.ofDays(3));
        assertThat(asked).isEmpty();
    }

    @Test
    void anHourIsKeptAndCompactedHourly() {
        start(AutoCompactSettings.periodic(Duration.ofHours(1)));
        advance(Duration.ofMinutes(59));
        assertThat(asked).isEmpty();
        advance(Duration.ofMinutes(1));
        assertThat(asked).containsExactly("60m: 1");
        advance(Duration.ofHours(2));
        assertThat(asked).containsExactly("60m: 1", "120m: 55", "180m: 115");
    }

    @Test
    void aLongerPeriodIsCompactedHourlyOnceItIsOver() {
        start(AutoCompactSettings.periodic(Duration.ofHours(24)));
        advance(Duration.ofHours(24).minusMinutes(1));
        assertThat(asked).isEmpty();
        advance(Duration.ofHours(2));
        assertThat(asked).containsExactly("1440m: 1", "1500m: 55");
    }

    @Test
    void aShorterPeriodIsCompactedOnceAPeriod() {
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(35));
        assertThat(asked).containsExactly("10m: 1", "20m: 10", "30m: 20");
    }

    @Test
    void whatWasCompactedIsNotCompactedAgain() {
        fixedRevision = 7L;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofHours(5));
        assertThat(asked).containsExactly("10m: 7");
        fixedRevision = 9L;
        advance(Duration.ofHours(5));
        // Due since long ago: as soon as the revision is a period old.
        assertThat(asked).containsExactly("10m: 7", "312m: 9");
    }

    @Test
    void aFailureIsTriedAgainATenthOfThePeriodLater() {
        failure = ErrorKind.TIMEOUT;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(12));
        failure = null;
        advance(Duration.ofMinutes(12));
        assertThat(asked).containsExactly("10m: 1", "11m: 1", "12m: 2", "13m: 3", "23m: 13");
    }

    @Test
    void whatSomebodyElseHasCompactedCountsAsDone() {
        failure = ErrorKind.COMPACTED;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(25));
        assertThat(asked).containsExactly("10m: 1", "20m: 10");
    }

    @Test
    void onlyTheLeaderCompactsAndANewOneKnowsThePast() {
        leads = false;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(35));
        assertThat(asked).isEmpty();
        leads = true;
        advance(Duration.ofMinutes(1));
        assertThat(asked).containsExactly("36m: 26");
    }

    @Test
    void aNumberOfRevisionsIsKeptAndLookedAtEveryFiveMinutes() {
        start(AutoCompactSettings.revisions(8));
        advance(Duration.ofMinutes(9));
        assertThat(asked).isEmpty();
        advance(Duration.ofMinutes(7));
        assertThat(asked).containsExactly("10m: 3", "15m: 8");
        fixedRevision = 16L;
        advance(Duration.ofHours(1));
        assertThat(asked).containsExactly("10m: 3", "15m: 8");
    }

    @Test
    void aFailureToKeepRevisionsIsTriedAgainAtTheNextLook() {
        failure = ErrorKind.NO_SPACE;
        fixedRevision = 10L;
        start(AutoCompactSettings.revisions(8));
        advance(Duration.ofMinutes(10));
        failure = null;
        advance(Duration.ofMinutes(20));
        assertThat(asked).containsExactly("5m: 2", "10m: 2", "15m: 2");
    }

    @Test
    void aClosedOneAsksNoMore() {
        AutoCompactor compactor = start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(15));
        compactor.close();
        advance(Duration.ofHours(2));
        assertThat(asked).containsExactly("10m: 1");
    }

    @Test
    void retentionsThatMeanNothingAreRefused() {
        for (Duration period :
                List.of(Duration.ZERO, Duration.ofHours(-1), Duration.ofDays(4000))) {
            assertThatThrownBy(() -> AutoCompactSettings.periodic(period))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> AutoCompactSettings.revisions(0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private AutoCompactor start(AutoCompactSettings settings) {
        AutoCompactor compactor =
                new AutoCompactor(
                        this::newest, () -> leads, this::compact, simulation.runtime(), settings);
        compactor.start();
        return compactor;
    }

    private long newest() {
        return fixedRevision != null ? fixedRevision : minutes() + 1;
    }

    private CompletionStage<Long> compact(long revision) {
        asked.add(minutes() + "m: " + revision);
        return failure == null
                ? CompletableFuture.completedFuture(revision)
                : CompletableFuture.failedFuture(new BackendException(failure));
    }

    private long minutes() {
        return Duration.ofNanos(simulation.runtime().clock().nanos()).toMinutes();
    }

    private void advance(Duration time) {
        simulation.advance(time);
        simulation.run();
    }
}
