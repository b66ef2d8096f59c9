package io.brain.server.auth;

import io.brain.backend.runtime.Clock;
import io.grpc.Status;
import java.security.Key;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jose4j.json.JsonUtil;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;

/**
 * JSON web tokens with etcd's claims: username, revision, and exp in seconds since 1970. Other
 * issuers may sign them with the same key; of their tokens, exp may be missing, as in etcd.
 */
final class JwtTokens implements Tokens {
    private static final String USER = "username";
    private static final String REVISION = "revision";
    private static final String EXPIRES = "exp";
    private static final String NOT_BEFORE = "nbf";

    private final String method;
    private final Key signing;
    private final Key verifying;
    private final Duration ttl;
    private final Clock clock;

    /**
     * Creates them.
     *
     * @param method name of the signature algorithm
     * @param signing null: tokens are only verified
     * @throws JoseException if the keys do not fit the method or each other
     */
    JwtTokens(String method, Key signing, Key verifying, Duration ttl, Clock clock)
            throws JoseException {
        this.method = method;
        this.signing = signing;
        this.verifying = verifying;
        this.ttl = ttl;
        this.clock = clock;
        if (signing != null && claims(sign("{}")) == null) {
            throw new JoseException("signature of another key");
        }
    }

    @Override
    public String issue(String user, AuthView state) {
        if (signing == null) {
            throw failure("auth: token signing attempted with verify-only key");
        }
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put(EXPIRES, Math.floorDiv(clock.unixMillis() + ttl.toMillis(), 1000L));
        claims.put(REVISION, state.revision());
        claims.put(USER, user);
        try {
            return sign(JsonUtil.toJson(claims));
        } catch (JoseException refused) {
            throw failure("auth: cannot sign a token");
        }
    }

    @Override
    public Optional<TokenUser> verify(String token, AuthView state) {
        Map<String, Object> claims;
        try {
            claims = claims(token);
        } catch (JoseException malformed) {
            return Optional.empty();
        }
        double now = clock.unixMillis() / 1000.0;
        if (claims == null
                || !(claims.get(USER) instanceof String user)
                || !(claims.get(REVISION) instanceof Number revision)
                || !(now < time(claims, EXPIRES, Double.POSITIVE_INFINITY))
                || !(now >= time(claims, NOT_BEFORE, 0))) {
            return Optional.empty();
        }
        return Optional.of(new TokenUser(user, revision.longValue()));
    }

    /**
     * A claim in seconds since 1970; NaN if it is not a number; 0 counts as missing, as in etcd.
     */
    private static double time(Map<String, Object> claims, String name, double missing) {
        Object value = claims.get(name);
        if (value == null) {
            return claims.containsKey(name) ? Double.NaN : missing;
        }
        if (!(value instanceof Number number)) {
            return Double.NaN;
        }
        return number.doubleValue() == 0 ? missing : Math.floor(number.doubleValue());
    }

    private String sign(String claims) throws JoseException {
        JsonWebSignature token = new JsonWebSignature();
        token.setHeader("alg", method);
        token.setHeader("typ", "JWT");
        token.setPayload(claims);
        token.setKey(signing);
        token.setDoKeyValidation(false);
        return token.getCompactSerialization();
    }

    /** The claims of a token; null if another key signed it. */
    private Map<String, Object> claims(String token) throws JoseException {
        JsonWebSignature signed = new JsonWebSignature();
        signed.setAlgorithmConstraints(
                new AlgorithmConstraints(AlgorithmConstraints.ConstraintType.PERMIT, method));
        signed.setCompactSerialization(token);
        signed.setKey(verifying);
        // As in etcd, short keys are the operator's choice.
        signed.setDoKeyValidation(false);
        return signed.verifySignature() ? JsonUtil.parseJson(signed.getPayload()) : null;
    }

    private static RuntimeException failure(String text) {
        return Status.UNKNOWN.withDescription(text).asRuntimeException();
    }
}
