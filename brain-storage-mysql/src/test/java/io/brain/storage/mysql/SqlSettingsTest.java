package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SqlSettingsTest {
    private static SqlSettings parse(String url) {
        Dialect dialect =
                url.startsWith("jdbc:postgresql:") ? new PostgresDialect() : new MysqlDialect();
        return SqlSettings.parse(
                dialect, Map.of("database-url", url), Map.of(SqlSettings.PASSWORD, "secret"));
    }

    @Test
    void aUrlOfMysqlIsOneOfMariadbsDriver() {
        assertThat(parse("jdbc:mysql://db:3306/brain").url())
                .isEqualTo("jdbc:mariadb://db:3306/brain");
        assertThat(parse("jdbc:mariadb://[::1]:3306/brain?sessionVariables=a=1,b=2").url())
                .contains("[::1]");
        assertThat(parse("jdbc:postgresql://a,b/brain?sslmode=require&targetServerType=primary"))
                .extracting(SqlSettings::password)
                .isEqualTo("secret");
    }

    @Test
    void aPasswordInTheUrlIsRefused() {
        assertThatThrownBy(() -> parse("jdbc:mariadb://db/brain?password=secret"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not have a password")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aTransactionThatTheDriverRepeatsIsRefused() {
        assertThatThrownBy(() -> parse("jdbc:mariadb://db/brain?sslMode=trust&transactionReplay"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transactionReplay");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mariadb://a,b/brain",
                "jdbc:mariadb://address=(host=a),address=(host=b)(type=replica)/brain",
                "jdbc:mariadb:sequential://a/brain",
                "jdbc:mariadb:load-balance://a/brain",
                "jdbc:mariadb:load_balance_read://a/brain",
                "jdbc:mariadb:replication://a,b/brain",
                "jdbc:mysql:load-balance-read://a,b/brain",
                "jdbc:postgresql://a,b/brain?targetServerType=preferSecondary",
                "jdbc:postgresql://a,b/brain?sslmode=require&targetServerType=any"
            })
    void replicasAreRefused(String url) {
        assertThatThrownBy(() -> parse(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("replicas");
    }

    private static int readers(Map<String, String> more) {
        Map<String, String> options = new HashMap<>(more);
        options.put("database-url", "jdbc:mariadb://db/brain");
        return SqlSettings.parse(new MysqlDialect(), options, Map.of()).readers();
    }

    @Test
    void eachThreadOfAServerThatReadsHasAConnection() {
        int threads = Runtime.getRuntime().availableProcessors() + 10;
        assertThat(readers(Map.of())).isGreaterThanOrEqualTo(threads);
        assertThat(readers(Map.of("read-connections", "" + threads))).isEqualTo(threads);
        assertThatThrownBy(() -> readers(Map.of("read-connections", "" + (threads - 1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-connections")
                .hasMessageContaining("from " + threads);
    }

    @Test
    void aFileHasThePassword(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("password"), "of a file\n");
        SqlSettings settings =
                SqlSettings.parse(
                        new MysqlDialect(),
                        Map.of(
                                "database-url",
                                "jdbc:mariadb://db/brain",
                                "database-password-file",
                                file.toString()),
                        Map.of(SqlSettings.PASSWORD, "secret"));
        assertThat(settings.password()).isEqualTo("of a file");
        assertThat(settings.toString()).doesNotContain("of a file");
    }
}
