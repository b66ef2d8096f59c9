package io.brain.server.auth;

import io.brain.backend.runtime.Clock;
import io.brain.options.GoDuration;
import io.brain.server.tls.Pem;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.lang.JoseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads {@code --auth-token}: {@code simple}, {@code jwt,name=value,...}, or empty. */
public final class TokenOptions {
    private static final Logger LOG = LoggerFactory.getLogger(TokenOptions.class);
    private static final String INVALID = "auth: invalid auth options";
    private static final String METHOD = "sign-method";
    private static final String PUBLIC_KEY = "pub-key";
    private static final String PRIVATE_KEY = "priv-key";
    private static final String TTL = "ttl";
    private static final Set<String> KNOWN = Set.of(METHOD, PUBLIC_KEY, PRIVATE_KEY, TTL);
    private static final Duration TTL_DEFAULT = Duration.ofMinutes(5);

    /** Names of the key's algorithm, here and in etcd's messages, by the start of the method. */
    private static final Map<String, List<String>> KEYS =
            Map.of(
                    "RS", List.of("RSA", "RSA"),
                    "PS", List.of("RSA", "RSA"),
                    "ES", List.of("EC", "ECDSA"),
                    "Ed", List.of("EdDSA", "Ed25519"));

    /** Sizes of the curves. etcd starts with another one, and then issues no token. */
    private static final Map<String, Integer> CURVE_BITS =
            Map.of("ES256", 256, "ES384", 384, "ES512", 521);

    private static final Set<String> METHODS =
            Set.of(
                    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
                    "EdDSA", "HS256", "HS384", "HS512");

    private TokenOptions() {}

    /** The kind of tokens cannot be had; the message is etcd's, for the operator. */
    public static final class InvalidException extends Exception {
        private static final long serialVersionUID = 1L;

        InvalidException(String message) {
            super(message);
        }

        InvalidException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Creates the tokens, and reads their keys from files.
     *
     * @param text value of the flag
     * @param simpleTtl of simple tokens
     */
    public static Tokens open(String text, Duration simpleTtl, Clock clock, SecureRandom random)
            throws InvalidException {
        List<String> parts = List.of(text.split(",", -1));
        Map<String, String> options = options(parts.subList(1, parts.size()));
        return switch (parts.get(0)) {
            case "simple" -> new SimpleTokens(simpleTtl, clock, random);
            case "jwt" -> jwt(options, clock);
            case "" -> new NoTokens();
            default -> throw new InvalidException(INVALID);
        };
    }

    private static Map<String, String> options(List<String> parts) throws InvalidException {
        Map<String, String> options = new LinkedHashMap<>();
        for (String part : parts) {
            List<String> pair = List.of(part.split("=", -1));
            if (pair.size() != 2 || options.put(pair.get(0), pair.get(1)) != null) {
                throw new InvalidException(INVALID);
            }
        }
        return options;
    }

    private static Tokens jwt(Map<String, String> options, Clock clock) throws InvalidException {
        Duration ttl = ttl(options.getOrDefault(TTL, ""));
        byte[] open = read(options.getOrDefault(PUBLIC_KEY, ""));
        byte[] secret = read(options.getOrDefault(PRIVATE_KEY, ""));
        String method = options.getOrDefault(METHOD, "");
        if (method.equals("none")) {
            throw new InvalidException("unsupported signing method: none");
        }
        if (!METHODS.contains(method)) {
            throw new InvalidException(INVALID + ": invalid auth signature method");
        }
        List<String> unknown = new ArrayList<>(options.keySet());
        unknown.removeAll(KNOWN);
        if (!unknown.isEmpty()) {
            LOG.warn("unknown JWT options keys={}", unknown);
        }
        if (secret.length == 0 && (open.length == 0 || method.startsWith("HS"))) {
            throw new InvalidException("auth: missing key data");
        }
        try {
            if (method.startsWith("HS")) {
                Key key = new SecretKeySpec(secret, "HMAC");
                return new JwtTokens(method, key, key, ttl, clock);
            }
            PrivateKey signing = secret.length == 0 ? null : Pem.privateKey(secret);
            check(method, signing, "private");
            PublicKey verifying = open.length == 0 ? PublicKeys.of(signing) : Pem.publicKey(open);
            check(method, verifying, "public");
            return new JwtTokens(method, signing, verifying, ttl, clock);
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw new InvalidException(
                    "invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key", unusable);
        } catch (JoseException mismatch) {
            throw new InvalidException(
                    open.length == 0 || secret.length == 0
                            ? "key is of invalid type"
                            : "auth: public and private keys don't match",
                    mismatch);
        }
    }

    /** Refuses a key of another algorithm; null passes. */
    private static void check(String method, Key key, String what) throws InvalidException {
        List<String> names = KEYS.get(method.substring(0, 2));
        if (key != null && !key.getAlgorithm().equals(names.get(0))) {
            throw new InvalidException("key is not a valid " + names.get(1) + ' ' + what + " key");
        }
        if (key instanceof ECKey curve && bits(curve) != CURVE_BITS.get(method)) {
            throw new InvalidException("key is of invalid type");
        }
    }

    private static int bits(ECKey key) {
        return key.getParams().getCurve().getField().getFieldSize();
    }

    private static Duration ttl(String text) throws InvalidException {
        try {
            return text.isEmpty() ? TTL_DEFAULT : GoDuration.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new InvalidException(
                    INVALID + ": time: invalid duration \"" + text + '"', malformed);
        }
    }

    /** Empty if no file is named. */
    private static byte[] read(String file) throws InvalidException {
        try {
            return file.isEmpty() ? new byte[0] : Files.readAllBytes(Path.of(file));
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new InvalidException(INVALID + ": cannot read " + file, unreadable);
        }
    }

    /** As in etcd with an empty flag: no password and no token opens anything. */
    private static final class NoTokens implements Tokens {
        @Override
        public String issue(String user, AuthView state) {
            throw Status.INVALID_ARGUMENT
                    .withDescription(
                            "etcdserver: authentication failed, invalid user ID or password")
                    .asRuntimeException();
        }

        @Override
        public Optional<TokenUser> verify(String token, AuthView state) {
            return Optional.empty();
        }
    }
}
