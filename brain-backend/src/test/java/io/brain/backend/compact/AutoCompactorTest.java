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

/** The newest revision is always the number of minutes since the start, plus one. */
class AutoCompactorTest {
    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final List<String> requested = new ArrayList<>();
    private boolean leads = true;
    private ErrorKind failure;
    private Long fixedRevision;

    @Test
    void nothingHappensIfOff() {
        start(AutoCompactSettings.OFF);
        advance(Duration.ofDays(3));
        assertThat(requested).isEmpty();
    }

    @Test
    void anHourIsKeptWithHourlyCompactions() {
        start(AutoCompactSettings.periodic(Duration.ofHours(1)));
        advance(Duration.ofMinutes(59));
        assertThat(requested).isEmpty();
        advance(Duration.ofMinutes(1));
        assertThat(requested).containsExactly("60m: 1");
        advance(Duration.ofHours(2));
        assertThat(requested).containsExactly("60m: 1", "120m: 55", "180m: 115");
    }

    @Test
    void aLongerPeriodIsKeptWithHourlyCompactions() {
        start(AutoCompactSettings.periodic(Duration.ofHours(24)));
        advance(Duration.ofHours(24).minusMinutes(1));
        assertThat(requested).isEmpty();
        advance(Duration.ofHours(2));
        assertThat(requested).containsExactly("1440m: 1", "1500m: 55");
    }

    @Test
    void aShorterPeriodIsKeptWithOneCompactionPerPeriod() {
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(35));
        assertThat(requested).containsExactly("10m: 1", "20m: 10", "30m: 20");
    }

    @Test
    void aRevisionIsNotCompactedTwice() {
        fixedRevision = 7L;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofHours(5));
        assertThat(requested).containsExactly("10m: 7");
        fixedRevision = 9L;
        advance(Duration.ofHours(5));
        // Overdue: as soon as the revision is one period old.
        assertThat(requested).containsExactly("10m: 7", "312m: 9");
    }

    @Test
    void aFailureIsRetriedAfterATenthOfThePeriod() {
        failure = ErrorKind.TIMEOUT;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(12));
        failure = null;
        advance(Duration.ofMinutes(12));
        assertThat(requested).containsExactly("10m: 1", "11m: 1", "12m: 2", "13m: 3", "23m: 13");
    }

    @Test
    void aClientsCompactionCountsAsDone() {
        failure = ErrorKind.COMPACTED;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(25));
        assertThat(requested).containsExactly("10m: 1", "20m: 10");
    }

    @Test
    void onlyTheLeaderCompactsAndANewLeaderKnowsEarlierRevisions() {
        leads = false;
        start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(35));
        assertThat(requested).isEmpty();
        leads = true;
        advance(Duration.ofMinutes(1));
        assertThat(requested).containsExactly("36m: 26");
    }

    @Test
    void aNumberOfRevisionsIsKeptAndCheckedEveryFiveMinutes() {
        start(AutoCompactSettings.revisions(8));
        advance(Duration.ofMinutes(9));
        assertThat(requested).isEmpty();
        advance(Duration.ofMinutes(7));
        assertThat(requested).containsExactly("10m: 3", "15m: 8");
        fixedRevision = 16L;
        advance(Duration.ofHours(1));
        assertThat(requested).containsExactly("10m: 3", "15m: 8");
    }

    @Test
    void aFailureWithRevisionsIsRetriedAtTheNextCheck() {
        failure = ErrorKind.NO_SPACE;
        fixedRevision = 10L;
        start(AutoCompactSettings.revisions(8));
        advance(Duration.ofMinutes(10));
        failure = null;
        advance(Duration.ofMinutes(20));
        assertThat(requested).containsExactly("5m: 2", "10m: 2", "15m: 2");
    }

    @Test
    void aClosedCompactorRequestsNothing() {
        AutoCompactor compactor = start(AutoCompactSettings.periodic(Duration.ofMinutes(10)));
        advance(Duration.ofMinutes(15));
        compactor.close();
        advance(Duration.ofHours(2));
        assertThat(requested).containsExactly("10m: 1");
    }

    @Test
    void invalidRetentionsAreRefused() {
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
        requested.add(minutes() + "m: " + revision);
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
