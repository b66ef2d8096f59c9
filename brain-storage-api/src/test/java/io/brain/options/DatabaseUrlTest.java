package io.brain.options;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mariadb://brain:secret@db/brain",
                "jdbc:postgresql://brain@db/brain?sslmode=require",
                "jdbc:mariadb://db/brain?user=brain&password=secret",
                "jdbc:mariadb://db/brain?password2=secret",
                "jdbc:mariadb://db/brain?keyStore=a.p12&keyStorePassword=secret",
                "jdbc:mariadb://db/brain?trustCertificateKeyStorePassword=secret",
                "jdbc:mariadb://db/brain?keyPassword=secret",
                "jdbc:postgresql://db/brain?sslpassword=secret",
                "jdbc:postgresql://db/brain?Password=secret"
            })
    void aPasswordIsFound(String url) {
        assertThat(DatabaseUrl.hasPassword(url)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mariadb://db:3306/password",
                "jdbc:mariadb://db/brain?disconnectOnExpiredPasswords=true",
                "jdbc:postgresql://a,b/brain?user=brain@realm&sslmode=require"
            })
    void otherUrlsHaveNone(String url) {
        assertThat(DatabaseUrl.hasPassword(url)).isFalse();
    }
}
