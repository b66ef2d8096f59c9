package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.DatabaseServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the contract on a MariaDB or MySQL that all tests share. */
@Tag("peer")
final class MariadbStorageTest extends SqlContract {
    private static final String ISOLATION =
            DatabaseServer.MYSQL ? "transaction_isolation" : "tx_isolation";
    private static DatabaseServer bed;

    MariadbStorageTest() {
        super(
                new MysqlStorageFactory(),
                new MysqlDialect(),
                new Queries(
                        "SELECT @@"
                                + (DatabaseServer.MYSQL
                                        ? "max_execution_time"
                                        : "max_statement_time"),
                        "SELECT @@"
                                + (DatabaseServer.MYSQL
                                        ? "wait_timeout"
                                        : "idle_transaction_timeout"),
                        DatabaseServer.MYSQL ? "40" : "1",
                        "SELECT @@" + ISOLATION,
                        "SELECT CONNECTION_ID()",
                        "SET GLOBAL " + ISOLATION + " = '%s'",
                        "REPEATABLE-READ",
                        List.of("SET GLOBAL read_only = 1"),
                        List.of("SET GLOBAL read_only = 0"),
                        "SELECT @@innodb_flush_log_at_trx_commit",
                        List.of("SET GLOBAL innodb_flush_log_at_trx_commit = 2"),
                        List.of("SET GLOBAL innodb_flush_log_at_trx_commit = 1")));
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

    @Test
    void aServerThatBecomesAReplicaIsLeft() throws Exception {
        try (Pools pools = pools(Map.of())) {
            String session;
            try (Session writer = pools.writer()) {
                administer(queries.readOnly());
                session = ask(writer, queries.session());
                assertThatThrownBy(
                                () -> writer.run(c -> new MysqlDialect().tick(c, tables + "clock")))
                        .isInstanceOf(SQLException.class);
            } finally {
                administer(queries.readWrite());
            }
            try (Session writer = pools.writer()) {
                assertThat(ask(writer, queries.session())).isNotEqualTo(session);
            }
        }
    }

    @Test
    void aLimitOfRowsHidesNoKeys() throws Exception {
        List<Bytes> keys = List.of(Bytes.utf8("a"), Bytes.utf8("b"));
        try (KvStorage storage = open()) {
            WriteBatch batch =
                    WriteBatch.builder()
                            .put(keys.get(0), keys.get(0))
                            .put(keys.get(1), keys.get(1))
                            .build();
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
        }
        KvTable table = new KvTable(tables + "kv", "", 1 << 20);
        List<Session> open = new ArrayList<>();
        try (Pools pools = pools(Map.of("write-connections", "9"))) {
            administer("SET GLOBAL sql_select_limit = 1");
            for (int i = 0; i < 9; i++) {
                open.add(pools.writer());
                Map<Bytes, Bytes> found =
                        open.get(i).run(connection -> table.read(connection, keys));
                assertThat(found).hasSize(2);
            }
            open.forEach(Session::close);
        } finally {
            administer("SET GLOBAL sql_select_limit = DEFAULT");
        }
    }

    @Override
    Connection administrator() throws SQLException {
        return DriverManager.getConnection(bed.url("brain"), "root", "");
    }
}
