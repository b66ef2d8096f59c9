package io.brain.storage.mysql;

import io.brain.storage.testkit.DatabaseServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a PostgreSQL that all tests share. */
@Tag("peer")
final class PostgresStorageTest extends SqlContract {
    private static DatabaseServer bed;

    PostgresStorageTest() {
        super(new PostgresStorageFactory(), new PostgresDialect(), "SHOW statement_timeout");
    }

    @BeforeAll
    static void startServer() throws Exception {
        bed = DatabaseServer.start(DatabaseServer.Kind.POSTGRES);
    }

    @AfterAll
    static void stopServer() throws IOException {
        if (bed != null) {
            bed.close();
        }
    }

    @Override
    DatabaseServer bed() {
        return bed;
    }
}
