package io.brain.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class BcryptPasswordsTest {
    private static final String LONGEST = "123456789012345678901234567890123456".repeat(2);

    private final BcryptPasswords passwords = new BcryptPasswords(4, 1, new SecureRandom());

    @AfterEach
    void stop() throws InterruptedException {
        passwords.close();
    }

    @Test
    void aHashMatchesItsPasswordOnly() throws Exception {
        String hash = hash(utf8("secret"));
        assertThat(hash).startsWith("$2a$04$").hasSize(60);
        assertThat(matches(utf8("secret"), hash)).isTrue();
        assertThat(matches(utf8("Secret"), hash)).isFalse();
        assertThat(hash(utf8("secret"))).isNotEqualTo(hash);
    }

    /** Hashes that Go's bcrypt made; the last one differs in the library's variant of 2a. */
    @ParameterizedTest
    @CsvSource({
        "736563726574,$2a$04$v7xl2XQUsWH0Wx71GYDEA./KNrFLnNBAE6N4nSXsh./ULzTfRcnzi",
        "780079,$2a$04$UXjuVDH4wFjj.wbJn8jP7.ccK2cICQksQQjcdOJM1Qd5iS7fO6c0C",
        "'',$2a$04$ujgb8QWGypo1CJHkDkPcc.AsrxS8eE5osu3fiCLHluFlkd7RSPmtm",
        "ffa33334ffffffa3333435,$2a$04$HY4IweNfm1NsZxRKPuyumeQDNbZtx691vYYPYNS3hpI3rK/.DNdCW"
    })
    void hashesOfEtcdMatch(String password, String hash) throws Exception {
        ByteString bytes = ByteString.fromHex(password);
        assertThat(matches(bytes, hash)).isTrue();
        assertThat(matches(bytes.concat(utf8("x")), hash)).isFalse();
    }

    @Test
    void aLongPasswordIsNotHashedButCompared() throws Exception {
        assertThatThrownBy(() -> hash(utf8(LONGEST + "x")))
                .hasMessageContaining("UNKNOWN: bcrypt: password length exceeds 72 bytes");
        assertThat(matches(utf8(LONGEST + "x"), hash(utf8(LONGEST)))).isTrue();
    }

    @Test
    void whatIsNoHashMatchesNothing() throws Exception {
        assertThat(matches(utf8(""), "")).isFalse();
        assertThat(matches(utf8("x"), "x")).isFalse();
    }

    @Test
    void aFloodIsRefusedAndTheRestIsServed() throws Exception {
        String slow = hash(utf8("secret")).replace("$04$", "$10$");
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            answers.add(passwords.matches(utf8("secret"), slow));
        }
        List<CompletableFuture<Boolean>> refused =
                answers.stream().filter(CompletableFuture::isCompletedExceptionally).toList();
        assertThat(refused).hasSizeGreaterThan(900).hasSizeLessThanOrEqualTo(936);
        assertThat(refused.get(0)).isCompletedExceptionally();
        assertThatThrownBy(refused.get(0)::join)
                .cause()
                .isInstanceOfSatisfying(
                        BackendException.class,
                        full -> assertThat(full.kind()).isEqualTo(ErrorKind.TOO_MANY_REQUESTS));
        answers.get(1).cancel(false);
        assertThat(answers.get(0).get(30, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void closingRefusesWhatIsQueued() throws Exception {
        String slow = hash(utf8("secret")).replace("$04$", "$10$");
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(passwords.matches(utf8("secret"), slow));
        }
        passwords.close();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThatThrownBy(answers.get(19)::join).hasMessageContaining("STOPPED");
        assertThatThrownBy(passwords.hash(utf8("x"))::join).hasMessageContaining("STOPPED");
    }

    private String hash(ByteString password) throws Exception {
        return passwords.hash(password).get(30, TimeUnit.SECONDS);
    }

    private boolean matches(ByteString password, String hash) throws Exception {
        return passwords.matches(password, hash).get(30, TimeUnit.SECONDS);
    }

    private static ByteString utf8(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
