package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MysqlDialectTest {
    /** Of a server that is accepted, with everything that can be configured wrong. */
    private static final Map<String, String> SAFE =
            Map.of(
                    "innodb_flush_log_at_trx_commit", "1",
                    "read_only", "OFF",
                    "innodb_read_only", "OFF",
                    "log_bin", "ON",
                    "sync_binlog", "1",
                    "binlog_format", "ROW",
                    "wsrep_on", "ON",
                    "wsrep_sync_wait", "7");

    private static Map<String, String> with(String name, String value) {
        Map<String, String> variables = new HashMap<>(SAFE);
        variables.put(name, value);
        return variables;
    }

    @Test
    void aSafeServerIsAccepted() {
        assertThatCode(() -> MysqlDialect.requireSafe(SAFE)).doesNotThrowAnyException();
        assertThatCode(
                        () -> {
                            Map<String, String> single = with("wsrep_on", "OFF");
                            single.put("wsrep_sync_wait", "0");
                            single.put("log_bin", "OFF");
                            single.put("sync_binlog", "0");
                            single.put("binlog_format", "STATEMENT");
                            MysqlDialect.requireSafe(single);
                        })
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "innodb_flush_log_at_trx_commit, 2, may lose acknowledged commits",
        "sync_binlog, 0, may lose acknowledged commits",
        "binlog_format, STATEMENT, takes no writes",
        "read_only, ON, is a replica",
        "innodb_read_only, ON, is a replica",
        "wsrep_sync_wait, 0, may miss commits",
        "wsrep_sync_wait, 6, may miss commits"
    })
    void anUnsafeServerIsRefused(String name, String value, String why) {
        assertThatThrownBy(() -> MysqlDialect.requireSafe(with(name, value)))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining(why)
                .hasMessageContaining(name + " is " + value);
    }

    @Test
    void noStatementOfASessionWaitsForTablesWithoutALimit() {
        Duration limit = Duration.ofMillis(1900);
        Map<String, String> mysql = Map.of("version", "8.0.36", "transaction_isolation", "");
        assertThat(MysqlDialect.sessionStart(mysql, false, limit, limit))
                .contains("max_execution_time = 1900", ", lock_wait_timeout = 1")
                .doesNotContain("max_statement_time");
        Map<String, String> mariadb = Map.of("version", "10.6.16-MariaDB", "tx_isolation", "");
        assertThat(MysqlDialect.sessionStart(mariadb, false, limit, limit))
                .contains("max_statement_time = 1");
    }
}
