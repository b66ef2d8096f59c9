package io.brain.storage.mysql;

import io.brain.storage.testkit.DatabaseServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Runs the contract on a PostgreSQL that all tests share. */
@Tag("peer")
final class PostgresStorageTest extends SqlContract {
    private static DatabaseServer bed;

    PostgresStorageTest() {
        super(
                new PostgresStorageFactory(),
                new PostgresDialect(),
                new Queries(
                        "SHOW statement_timeout",
                        "SHOW idle_in_transaction_session_timeout",
                        "1s",
                        "SHOW transaction_isolation",
                        "SELECT pg_backend_pid()",
                        "ALTER ROLE brain SET default_transaction_isolation = '%s'",
                        "read committed",
                        List.of("ALTER ROLE brain SET default_transaction_read_only = on"),
                        List.of(
                                "SET default_transaction_read_only = off",
                                "ALTER ROLE brain RESET default_transaction_read_only")));
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

    @Override
    Connection administrator() throws SQLException {
        return DriverManager.getConnection(bed.url("brain"), bed.user(), "brain");
    }
}
