package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.StorageException;
import io.brain.storage.testkit.DatabaseServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
                                "ALTER ROLE brain RESET default_transaction_read_only"),
                        "SHOW fsync",
                        List.of("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"),
                        List.of("ALTER SYSTEM RESET fsync", "SELECT pg_reload_conf()")));
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

    @Test
    void tablesOfASchemaWithASimilarNameAreOthers() throws Exception {
        administer(
                List.of(
                        "CREATE SCHEMA a_b",
                        "CREATE SCHEMA axb",
                        "CREATE TABLE axb.%sclock (id int)".formatted(tables),
                        "CREATE TABLE axb.%skv (k text)".formatted(tables)));
        Map<String, String> schema =
                Map.of("database-url", bed().url("brain") + "?currentSchema=a_b");
        for (int i = 0; i < 2; i++) {
            open(schema).close();
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void serversThatStartTogetherCreateTheTablesWhateverTheIsolation() throws Exception {
        int servers = 2;
        Map<String, String> others = Map.of("table-prefix", tables + "others_");
        ExecutorService threads = Executors.newFixedThreadPool(servers);
        administer(queries.defaultIsolation().formatted("SERIALIZABLE"));
        try {
            List<Future<?>> opened = new ArrayList<>();
            try (Connection administrator = administrator()) {
                ask(administrator, "SELECT pg_advisory_lock(" + PostgresDialect.SCHEMA_LOCK + ")");
                for (int i = 0; i < servers; i++) {
                    opened.add(threads.submit(() -> open(others).close()));
                }
                String waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
                while (!ask(administrator, waiting).equals("" + servers)) {
                    Thread.sleep(10);
                }
            }
            for (Future<?> one : opened) {
                one.get(1, TimeUnit.MINUTES);
            }
        } finally {
            administer(queries.defaultIsolation().formatted(queries.usualIsolation()));
            threads.shutdownNow();
        }
    }

    @Test
    void aSessionThatHasLostItsSettingsIsRefused() throws Exception {
        open().close();
        DatabaseClock clock = new DatabaseClock(dialect, tables + "clock");
        try (Pools pools = pools(Map.of())) {
            try (Session reader = pools.reader()) {
                settle(reader, "RESET ALL"); // as on another connection of a pooler
                assertThatThrownBy(() -> clock.now(reader))
                        .isInstanceOfSatisfying(
                                StorageException.class,
                                refused -> assertThat(refused.kind().isLasting()).isTrue())
                        .hasMessageContaining(
                                "are read committed, on, must be repeatable read, on");
            }
            for (String change :
                    List.of(
                            "SET synchronous_commit = off",
                            "SET default_transaction_isolation = 'repeatable read'")) {
                try (Session writer = pools.writer()) {
                    settle(writer, change);
                    assertThatThrownBy(() -> clock.tick(writer))
                            .hasMessageContaining(", must be read committed, on");
                }
            }
            try (Session reader = pools.reader();
                    Session writer = pools.writer()) {
                assertThat(clock.tick(writer)).isGreaterThan(clock.now(reader));
            }
        }
    }

    private static void settle(Session session, String change) throws SQLException {
        session.run(
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.execute(change);
                    }
                });
        session.commit();
    }

    @Override
    Connection administrator() throws SQLException {
        return DriverManager.getConnection(bed.url("brain"), bed.user(), "brain");
    }
}
