package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.StorageException.Kind;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SqlErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "1045, 28000, REFUSED",
        "1049, 42000, REFUSED",
        "1203, 42000, UNAVAILABLE",
        "1226, 42000, UNAVAILABLE",
        "0, 53300, UNAVAILABLE"
    })
    void aServerThatHasTooManyConnectionsIsWaitedFor(int code, String state, Kind kind) {
        SqlSettings settings =
                SqlSettings.parse(
                        new MysqlDialect(),
                        Map.of("database-url", "jdbc:mariadb://db/brain"),
                        Map.of());
        assertThat(SqlErrors.atOpening(settings, new SQLException("x", state, code)).kind())
                .isEqualTo(kind);
    }
}
