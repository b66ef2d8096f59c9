package io.brain.conformance.cluster.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.Form;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.storage.testkit.DatabaseServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rounds of {@link KillRounds} on a database, which is killed too. */
@Tag("peer")
@Isolated
class DatabaseKillRoundsTest {
    private static final int DOWN_MILLIS_MAX = 1_500;
    private static final int UP_MILLIS_MAX = 3_000;

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void whatWasAcknowledgedSurvives(
            DatabaseServer.Kind kind, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no database");
        KillRounds.Settings settings =
                new KillRounds.Settings(
                        Integer.getInteger("kill.rounds", Form.size(4, 50)),
                        6,
                        1_500,
                        System.nanoTime());
        try (DatabaseServer database = DatabaseServer.start(kind)) {
            ServerCommand command = ServerCommand.underTest().withFlags(database.storageFlags());
            Killed store = new Killed(database);
            KillSummary summary =
                    new KillRounds(command, ServerHome.fresh(directory), store, settings)
                            .run(progress -> {});
            System.out.println(
                    "summary: " + kind + ", killed " + store.kills + " times: " + summary.text());
            assertThat(summary.violations()).as(summary.text()).isEmpty();
            assertThat(summary.writes().acknowledged()).isGreaterThan(summary.rounds());
            assertThat(store.kills).isPositive();
        }
    }

    /**
     * Of three rounds, the database is killed in one until the server is killed as well, in one for
     * a moment only, and in one not at all.
     */
    private static final class Killed implements KillRounds.Store {
        private final DatabaseServer database;
        private boolean down;
        private int rounds;
        private int kills;

        Killed(DatabaseServer database) {
            this.database = database;
        }

        @Override
        public void disturb(Random random) throws IOException, InterruptedException {
            int kind = rounds++ % 3;
            if (kind == 2) {
                return;
            }
            database.kill();
            kills++;
            down = true;
            Thread.sleep(random.nextInt(DOWN_MILLIS_MAX));
            if (kind == 1) {
                restore();
                Thread.sleep(random.nextInt(UP_MILLIS_MAX));
            }
        }

        @Override
        public void restore() throws IOException, InterruptedException {
            if (down) {
                database.restart();
                down = false;
            }
        }
    }
}
