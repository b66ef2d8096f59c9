package io.brain.storage.mysql;

import io.brain.storage.testkit.DatabaseServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a MariaDB that all tests share. */
@Tag("peer")
final class MariadbStorageTest extends SqlContract {
    private static DatabaseServer bed;

    MariadbStorageTest() {
        super(new MysqlStorageFactory(), new MysqlDialect(), "SELECT @@max_statement_time");
    }

    @BeforeAll
    static void startServer() throws Exception {
        bed = DatabaseServer.start(DatabaseServer.Kind.MARIADB);
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
