package io.brain.conformance.access;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tokens that no server issued, by who they are of: good, odd, expired, forged, malformed. */
final class MadeTokens {
    private MadeTokens() {}

    /**
     * All of them.
     *
     * @param revision of the users and roles
     */
    static Map<String, String> all(JwtMaker maker, long revision) {
        Map<String, String> tokens = new LinkedHashMap<>(claims(maker, revision));
        tokens.putAll(forged(maker, revision));
        return tokens;
    }

    private static Map<String, String> claims(JwtMaker maker, long revision) {
        long now = Instant.now().getEpochSecond();
        String alice = "\"username\":\"alice\",\"revision\":" + revision;
        String late = ",\"exp\":" + (now + 1_000);
        Map<String, String> claims = new LinkedHashMap<>();
        claims.put("alice, made elsewhere", alice + late);
        claims.put("without an end", alice);
        claims.put("expired", alice + ",\"exp\":" + (now - 10));
        claims.put("with the end 0", alice + ",\"exp\":0");
        claims.put("with the end -1", alice + ",\"exp\":-1");
        claims.put("with a text as the end", alice + ",\"exp\":\"" + (now + 1_000) + "\"");
        claims.put("with null as the end", alice + ",\"exp\":null");
        claims.put("with half a second", alice + ",\"exp\":" + (now + 1_000) + ".5");
        claims.put("with a large end", alice + ",\"exp\":1e18");
        claims.put("not yet valid", alice + late + ",\"nbf\":" + (now + 1_000));
        claims.put("valid for long", alice + late + ",\"nbf\":" + (now - 1_000));
        claims.put("of the future", alice + late + ",\"iat\":" + (now + 1_000));
        claims.put("with an issuer", alice + late + ",\"iss\":\"x\",\"aud\":[\"y\"]");
        claims.put("without a user", "\"revision\":" + revision + late);
        claims.put("with a number as user", "\"username\":1,\"revision\":" + revision + late);
        claims.put("of an empty user", "\"username\":\"\",\"revision\":" + revision + late);
        claims.put("of a stranger", "\"username\":\"eve\",\"revision\":" + revision + late);
        claims.put("of root", "\"username\":\"root\",\"revision\":" + revision + late);
        claims.put("of root without a revision", "\"username\":\"root\",\"revision\":0" + late);
        claims.put("without a revision", "\"username\":\"alice\"" + late);
        for (String odd :
                List.of("\"" + revision + "\"", "null", "0", "1", revision + ".5", "1e3")) {
            claims.put("of revision " + odd, "\"username\":\"alice\",\"revision\":" + odd + late);
        }
        Map<String, String> tokens = new LinkedHashMap<>();
        claims.forEach((name, text) -> tokens.put(name, maker.token("{" + text + "}")));
        return tokens;
    }

    private static Map<String, String> forged(JwtMaker maker, long revision) {
        String claims =
                "{\"username\":\"alice\",\"revision\":"
                        + revision
                        + ",\"exp\":"
                        + (Instant.now().getEpochSecond() + 1_000)
                        + "}";
        String good = maker.token(claims);
        String unsigned = good.substring(0, good.lastIndexOf('.'));
        String none = JwtMaker.base64("{\"alg\":\"none\",\"typ\":\"JWT\"}");
        String body = JwtMaker.base64(claims);
        Map<String, String> tokens = new LinkedHashMap<>();
        tokens.put("by another key", maker.another().token(claims));
        tokens.put("by another method", maker.tokenBy(maker.otherMethod(), claims));
        tokens.put("by the open key", maker.tokenByOpenKey(claims));
        tokens.put("by nobody", none + "." + body + ".");
        tokens.put("by nobody, in two parts", none + "." + body);
        tokens.put("without a signature", unsigned + ".");
        tokens.put("in two parts", unsigned);
        tokens.put("in four parts", good + ".x");
        tokens.put("with another signature", unsigned + "." + flipped(good));
        tokens.put("without a method", maker.token("{\"typ\":\"JWT\"}", claims));
        tokens.put("with a small method", maker.token("{\"alg\":\"rs256\"}", claims));
        tokens.put("with an unknown method", maker.token("{\"alg\":\"XX1\"}", claims));
        tokens.put("with a header of text", maker.token("text", claims));
        tokens.put("with claims of text", maker.token("text"));
        tokens.put("with a list of claims", maker.token("[]"));
        tokens.put("with padding", unsigned + "=." + good.substring(unsigned.length() + 1));
        tokens.put("a word", "word");
        tokens.put("dots", "..");
        tokens.put("empty", "");
        tokens.put("bearer", "Bearer " + good);
        return tokens;
    }

    /** The signature with its first letter changed. */
    private static String flipped(String token) {
        String signature = token.substring(token.lastIndexOf('.') + 1);
        char first = signature.charAt(0) == 'A' ? 'B' : 'A';
        return first + signature.substring(1);
    }
}
