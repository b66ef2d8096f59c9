package io.brain.conformance.cluster.durability;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.Form;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("peer")
class KillRoundsTest {

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void whatWasAcknowledgedSurvivesKillsAtRandomMoments(
            @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        KillRounds.Settings settings =
                new KillRounds.Settings(
                        Integer.getInteger("kill.rounds", Form.size(5, 50)),
                        6,
                        1_500,
                        System.nanoTime());
        KillSummary summary =
                new KillRounds(
                                ServerCommand.underTest(),
                                ServerHome.fresh(directory),
                                KillRounds.Store.NONE,
                                settings)
                        .run(progress -> printEveryTenth(progress));
        System.out.println("summary: " + summary.text());
        assertThat(summary.violations()).as(summary.text()).isEmpty();
        assertThat(summary.writes().acknowledged()).isGreaterThan(summary.rounds());
    }

    private static void printEveryTenth(KillSummary summary) {
        if (summary.rounds() % 10 == 0) {
            System.out.println(summary.text());
        }
    }
}
