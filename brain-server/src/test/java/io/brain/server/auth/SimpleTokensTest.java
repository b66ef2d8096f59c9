package io.brain.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.auth.Tokens.TokenUser;
import io.brain.storage.Bytes;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimpleTokensTest {
    private static final FakeAuthView STATE =
            FakeAuthView.of(7, Map.of("root", 2L, "alice", 3L, "ünïcode", 4L));

    private final SteppedClock clock = new SteppedClock();
    private final Tokens tokens = server();

    private Tokens server() {
        return new SimpleTokens(Duration.ofMinutes(5), clock, new SecureRandom());
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "alice", "ünïcode"})
    void everyServerRecognizesAToken(String user) {
        String token = tokens.issue(user, STATE);
        assertThat(token).matches("[a-zA-Z]{16}\\.[A-Za-z0-9_-]+");
        assertThat(tokens.verify(token, STATE)).contains(new TokenUser(user, 7));
        assertThat(server().verify(token, STATE)).contains(new TokenUser(user, 7));
    }

    @Test
    void twoTokensOfAUserDiffer() {
        assertThat(tokens.issue("root", STATE)).isNotEqualTo(tokens.issue("root", STATE));
    }

    @Test
    void aTokenCountsAsIssuedAtTheRevisionOfTheCall() {
        String token = tokens.issue("alice", STATE);
        FakeAuthView later = FakeAuthView.of(9, STATE.generations());
        assertThat(tokens.verify(token, later)).contains(new TokenUser("alice", 9));
    }

    @Test
    void anyChangedCharacterMakesItForged() {
        String token = tokens.issue("alice", STATE);
        for (int at = 0; at < token.length(); at++) {
            char other = token.charAt(at) == 'A' ? 'B' : 'A';
            String forged = token.substring(0, at) + other + token.substring(at + 1);
            assertThat(server().verify(forged, STATE)).as("character %s", at).isEmpty();
        }
    }

    /** Of 53 bytes, the last character carries 4 bits: four characters decode alike. */
    @Test
    void onlyOneSpellingOfTheLastCharacterIsGenuine() {
        String token = tokens.issue("alice", STATE);
        String prefix = token.substring(0, token.length() - 1);
        String letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        assertThat(letters.chars().mapToObj(letter -> prefix + (char) letter))
                .filteredOn(spelled -> server().verify(spelled, STATE).isPresent())
                .containsExactly(token);
        assertThat(tokens.verify(token + "=", STATE)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "abcdefghijklmnop",
                "abcdefghijklmnop.",
                "abcdefghijklmnop.12",
                "abcdefghijklmnop.%%%%",
                "abcdefghijklmnop.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            })
    void otherTextsAreRefused(String text) {
        assertThat(tokens.verify(text, STATE)).isEmpty();
    }

    @Test
    void aTokenEndsWithItsKey() {
        String token = tokens.issue("alice", STATE);
        assertThat(tokens.verify(token, STATE)).isPresent();
        Bytes other = Bytes.utf8("another key of thirty-two bytes.");
        FakeAuthView enabledAgain = new FakeAuthView(8, other, STATE.generations());
        assertThat(tokens.verify(token, enabledAgain)).isEmpty();
        FakeAuthView neverEnabled = new FakeAuthView(1, Bytes.EMPTY, STATE.generations());
        assertThat(tokens.verify(token, neverEnabled)).isEmpty();
    }

    @Test
    void aTokenEndsWithItsGeneration() {
        String token = tokens.issue("alice", STATE);
        assertThat(tokens.verify(token, FakeAuthView.of(8, Map.of("alice", 8L)))).isEmpty();
        assertThat(tokens.verify(token, FakeAuthView.of(8, Map.of()))).isEmpty();
    }

    @Test
    void aServerBehindAcceptsALaterGeneration() {
        String token = tokens.issue("alice", FakeAuthView.of(8, Map.of("alice", 8L)));
        assertThat(server().verify(token, STATE)).isPresent();
    }

    @Test
    void eachUseProlongsItOnThatServer() {
        Tokens other = server();
        String token = tokens.issue("alice", STATE);
        for (int i = 0; i < 3; i++) {
            clock.pass(Duration.ofSeconds(200));
            assertThat(tokens.verify(token, STATE)).as("use %s", i).isPresent();
        }
        assertThat(other.verify(token, STATE)).isEmpty();
        clock.pass(Duration.ofSeconds(301));
        assertThat(tokens.verify(token, STATE)).isEmpty();
    }

    @Test
    void anUnusedTokenEnds() {
        String token = tokens.issue("alice", STATE);
        clock.pass(Duration.ofSeconds(299));
        assertThat(server().verify(token, STATE)).isPresent();
        clock.pass(Duration.ofSeconds(2));
        assertThat(server().verify(token, STATE)).isEmpty();
    }
}
