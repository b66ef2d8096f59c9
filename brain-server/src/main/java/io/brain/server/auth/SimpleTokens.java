package io.brain.server.auth;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.brain.backend.runtime.Clock;
import io.brain.storage.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens that every server recognizes and none stores: {@code <16 letters>.<signed content>}. The
 * content is the time of issue, the user's generation and name, and an HMAC-SHA256 under the token
 * key of the state; in base64url. As in etcd, a token expires on each server by itself, a period
 * after its last use there, and counts as issued at the revision of the call.
 */
final class SimpleTokens implements Tokens {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final int LETTERS_COUNT = 16;
    private static final int NUMBERS_BYTES = 2 * Long.BYTES;
    private static final int MAC_BYTES = 32;

    /** Total length of the remembered tokens; about 90 000 of short names. */
    private static final long REMEMBERED_CHARS_MAX = 8L << 20;

    private final Duration ttl;
    private final Clock clock;
    private final SecureRandom random;

    /**
     * Genuine tokens whose last use is less than the TTL ago. One left out counts from its issue.
     */
    private final Cache<String, Content> used;

    /**
     * Creates them.
     *
     * @param ttl at least 1 s
     */
    SimpleTokens(Duration ttl, Clock clock, SecureRandom random) {
        this.ttl = ttl;
        this.clock = clock;
        this.random = random;
        used =
                CacheBuilder.newBuilder()
                        .maximumWeight(REMEMBERED_CHARS_MAX)
                        .weigher((String token, Content content) -> token.length())
                        .expireAfterAccess(ttl)
                        .ticker(ticker(clock))
                        .build();
    }

    static Ticker ticker(Clock clock) {
        return new Ticker() {
            @Override
            public long read() {
                return clock.nanos();
            }
        };
    }

    /** What a genuine token says; {@code key} is the one that it was checked with. */
    private record Content(String user, long generation, Bytes key) {}

    @Override
    public String issue(String user, AuthView state) {
        StringBuilder letters = new StringBuilder(LETTERS_COUNT);
        random.ints(LETTERS_COUNT, 0, LETTERS.length())
                .forEach(at -> letters.append(LETTERS.charAt(at)));
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        ByteBuffer content = ByteBuffer.allocate(NUMBERS_BYTES + name.length + MAC_BYTES);
        content.putLong(clock.unixMillis()).putLong(state.generation(user).orElse(0)).put(name);
        byte[] mac = mac(state.tokenKey(), letters, content.array(), content.position());
        content.put(mac);
        return letters + "." + encode(content.array());
    }

    private static String encode(byte[] content) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(content);
    }

    @Override
    public Optional<TokenUser> verify(String token, AuthView state) {
        Content content = used.getIfPresent(token);
        if (content == null || !content.key().equals(state.tokenKey())) {
            content = open(token, state.tokenKey());
            if (content == null) {
                return Optional.empty();
            }
            used.put(token, content);
        }
        OptionalLong generation = state.generation(content.user());
        // A later generation: this server does not know the newest state yet.
        if (generation.isEmpty() || content.generation() < generation.getAsLong()) {
            return Optional.empty();
        }
        return Optional.of(new TokenUser(content.user(), state.revision()));
    }

    /** The content of a token that was not used recently; null if it is not genuine or too old. */
    private Content open(String token, Bytes key) {
        if (key.isEmpty()
                || token.length() <= LETTERS_COUNT
                || token.charAt(LETTERS_COUNT) != '.') {
            return null;
        }
        String encoded = token.substring(LETTERS_COUNT + 1);
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(encoded);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
        // The decoder ignores unused bits of the last character: only one spelling is genuine.
        if (!encode(bytes).equals(encoded)) {
            return null;
        }
        int length = bytes.length - MAC_BYTES;
        if (length < NUMBERS_BYTES) {
            return null;
        }
        byte[] mac = mac(key, token.substring(0, LETTERS_COUNT), bytes, length);
        if (!MessageDigest.isEqual(mac, Arrays.copyOfRange(bytes, length, bytes.length))) {
            return null;
        }
        ByteBuffer numbers = ByteBuffer.wrap(bytes);
        long issued = numbers.getLong();
        if (Math.abs(clock.unixMillis() - issued) > ttl.toMillis()) {
            return null;
        }
        String user =
                new String(bytes, NUMBERS_BYTES, length - NUMBERS_BYTES, StandardCharsets.UTF_8);
        return new Content(user, numbers.getLong(), key);
    }

    private static byte[] mac(Bytes key, CharSequence letters, byte[] content, int length) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.array(), mac.getAlgorithm()));
            mac.update(letters.toString().getBytes(StandardCharsets.UTF_8));
            mac.update(content, 0, length);
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("no HmacSHA256", impossible);
        }
    }
}
