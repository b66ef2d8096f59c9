package io.brain.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.server.auth.TokenOptions.InvalidException;
import io.brain.server.auth.Tokens.TokenUser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JwtTokensTest {
    private static final FakeAuthView STATE = FakeAuthView.of(7, Map.of("alice", 3L));
    private static final String HEADER = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";

    @TempDir private Path directory;
    private final SteppedClock clock = new SteppedClock();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
                "EdDSA"
            })
    void theHolderOfTheOpenKeyVerifies(String method) throws Exception {
        writeKeys(method, "");
        Tokens issuer = open(method, "priv-key=" + file("key"));
        Tokens verifier = open(method, "pub-key=" + file("pub"));
        String token = issuer.issue("alice", STATE);
        assertThat(issuer.verify(token, STATE)).contains(new TokenUser("alice", 7));
        assertThat(verifier.verify(token, STATE)).contains(new TokenUser("alice", 7));
        assertThatThrownBy(() -> verifier.issue("alice", STATE))
                .hasMessage("UNKNOWN: auth: token signing attempted with verify-only key");
        writeKeys(method, "2");
        assertThat(open(method, "pub-key=" + file("pub2")).verify(token, STATE)).isEmpty();
        assertThatThrownBy(() -> open(method, "priv-key=" + file("key"), "pub-key=" + file("pub2")))
                .isInstanceOf(InvalidException.class)
                .hasMessage("auth: public and private keys don't match");
    }

    @Test
    void aTokenKeepsItsRevisionAndEnds() throws Exception {
        Tokens tokens = secret("ttl=1m");
        String token = tokens.issue("alice", STATE);
        assertThat(tokens.verify(token, FakeAuthView.of(9, Map.of())))
                .contains(new TokenUser("alice", 7));
        clock.pass(Duration.ofSeconds(59));
        assertThat(tokens.verify(token, STATE)).isPresent();
        clock.pass(Duration.ofSeconds(2));
        assertThat(tokens.verify(token, STATE)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"username\":\"alice\",\"revision\":7,\"exp\":9000000000}|true",
                "{\"username\":\"alice\",\"revision\":7}|true",
                "{\"username\":\"alice\",\"revision\":7,\"exp\":1000}|false",
                "{\"username\":\"alice\",\"revision\":7,\"exp\":\"never\"}|false",
                "{\"username\":\"alice\",\"revision\":7,\"exp\":null}|false",
                "{\"username\":\"alice\",\"revision\":7,\"nbf\":9000000000}|false",
                "{\"username\":\"alice\",\"revision\":\"7\"}|false",
                "{\"username\":\"alice\"}|false",
                "{\"username\":7,\"revision\":7}|false",
                "{\"revision\":7}|false",
                "{}|false",
                "[]|false",
                "nothing|false"
            })
    void claimsAreChecked(String claims, boolean valid) throws Exception {
        assertThat(secret().verify(signed(HEADER, claims), STATE).isPresent()).isEqualTo(valid);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"alg\":\"none\"}",
                "{\"alg\":\"None\"}",
                "{\"alg\":\"HS512\"}",
                "{\"alg\":\"RS256\"}",
                "{}",
                "nothing"
            })
    void otherAlgorithmsAreRefused(String header) throws Exception {
        String claims = "{\"username\":\"alice\",\"revision\":7}";
        String token = signed(header, claims);
        assertThat(secret().verify(token, STATE)).isEmpty();
        String unsigned = token.substring(0, token.lastIndexOf('.') + 1);
        assertThat(secret().verify(unsigned, STATE)).isEmpty();
        assertThat(secret().verify(unsigned.substring(0, unsigned.length() - 1), STATE)).isEmpty();
    }

    /** The open key of RS256 as the secret of HS256. */
    @Test
    void anOpenKeyIsNoSecret() throws Exception {
        writeKeys("RS256", "");
        Tokens tokens = open("RS256", "pub-key=" + file("pub"));
        byte[] known = Files.readAllBytes(file("pub"));
        String claims = "{\"username\":\"alice\",\"revision\":7}";
        assertThat(tokens.verify(signed(HEADER, claims, known), STATE)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jwt|auth: invalid auth options: invalid auth signature method",
                "jwt,sign-method=RS256|auth: missing key data",
                "jwt,sign-method=HS256,pub-key=DIR/key|auth: missing key data",
                "jwt,sign-method=RS256,pub-key=DIR/none|auth: invalid auth options: cannot read",
                "jwt,sign-method=RS256,priv-key=DIR/text|invalid key: Key must be a PEM encoded",
                "jwt,sign-method=RS256,priv-key=DIR/key|key is not a valid RSA private key",
                "jwt,sign-method=EdDSA,pub-key=DIR/pub|key is not a valid Ed25519 public key",
                "jwt,sign-method=ES384,priv-key=DIR/key|key is of invalid type",
                "jwt,sign-method=none,priv-key=DIR/key|unsupported signing method: none",
                "jwt,sign-method=ES256,priv-key|auth: invalid auth options",
                "jwt,sign-method=ES256,sign-method=ES256|auth: invalid auth options",
                "jwt,sign-method=HS256,priv-key=DIR/key,ttl=soon|auth: invalid auth options: time:",
                "bogus|auth: invalid auth options"
            })
    void invalidOptionsAreRefused(String flag, String message) throws Exception {
        writeKeys("ES256", "");
        Files.writeString(file("text"), "nothing");
        assertThatThrownBy(() -> open(flag.replace("DIR", directory.toString())))
                .isInstanceOf(InvalidException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void withoutTokensNothingIsIssuedOrRecognized() throws Exception {
        Tokens none = open("");
        assertThat(none.verify("abcdefghijklmnop.1", STATE)).isEmpty();
        assertThatThrownBy(() -> none.issue("alice", STATE))
                .hasMessageContaining("authentication failed, invalid user ID or password");
    }

    private Tokens secret(String... more) throws Exception {
        Files.writeString(file("secret"), "short");
        String options = more.length == 0 ? "" : "," + more[0];
        return open("jwt,sign-method=HS256,priv-key=" + file("secret") + options);
    }

    private String signed(String header, String claims) throws Exception {
        return signed(header, claims, "short".getBytes(StandardCharsets.UTF_8));
    }

    private static String signed(String header, String claims, byte[] secret) throws Exception {
        String content = base64(header.getBytes(StandardCharsets.UTF_8));
        content += "." + base64(claims.getBytes(StandardCharsets.UTF_8));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HMAC"));
        byte[] signature = mac.doFinal(content.getBytes(StandardCharsets.UTF_8));
        return content + "." + base64(signature);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private Tokens open(String method, String... options) throws InvalidException {
        return open("jwt,sign-method=" + method + "," + String.join(",", options));
    }

    private Tokens open(String flag) throws InvalidException {
        return TokenOptions.open(flag, Duration.ofMinutes(5), clock, new SecureRandom());
    }

    private void writeKeys(String method, String suffix) throws Exception {
        boolean rsa = method.startsWith("RS") || method.startsWith("PS");
        String algorithm = rsa ? "RSA" : method.startsWith("ES") ? "EC" : "Ed25519";
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        switch (method) {
            case "ES256" -> generator.initialize(new ECGenParameterSpec("secp256r1"));
            case "ES384" -> generator.initialize(new ECGenParameterSpec("secp384r1"));
            case "ES512" -> generator.initialize(new ECGenParameterSpec("secp521r1"));
            default -> {}
        }
        KeyPair keys = generator.generateKeyPair();
        write("key" + suffix, "PRIVATE KEY", keys.getPrivate());
        write("pub" + suffix, "PUBLIC KEY", keys.getPublic());
    }

    private void write(String name, String what, Key key) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(key.getEncoded());
        Files.writeString(
                file(name),
                "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
