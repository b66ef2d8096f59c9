package io.brain.conformance.cluster.durability;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.ServerCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SyncProofTest {

    private static final int SEQUENTIAL = 100;
    private static final int CLIENTS = 8;
    private static final int EACH = 40;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void everyAnswerLeavesAfterTheSyncOfItsOwnBytes() throws Exception {
        SyncReport report = prove(ServerCommand.underTest());
        System.out.println("summary: " + report.text("as shipped"));
        assertThat(report.failures()).isEmpty();
        assertThat(report.syncs()).isGreaterThanOrEqualTo(SEQUENTIAL);
    }

    @Test
    void theProofFailsOnAServerThatDoesNotSync() throws Exception {
        SyncReport report = prove(unsynced());
        System.out.println("summary: " + report.text("sync switched off"));
        assertThat(report.failures()).hasSizeGreaterThan(report.answers() / 2);
    }

    private SyncReport prove(ServerCommand command) throws Exception {
        return new SyncProof(command, directory).run(SEQUENTIAL, CLIENTS, EACH);
    }

    /** The server told not to sync: {@code -Dbrain.unsynced.flags}, or what it is known to take. */
    private static ServerCommand unsynced() {
        ServerCommand command = ServerCommand.underTest();
        String known =
                command.isEtcd() ? "--unsafe-no-fsync" : "--storage-option=sync-writes=false";
        String named = System.getProperty("brain.unsynced.flags", known);
        return command.withFlags(List.copyOf(ServerCommand.words(named)));
    }
}
