package io.brain.conformance.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Keys of one method, and JSON web tokens signed by them. */
final class JwtMaker {
    private static final Map<String, String> SIGNATURES =
            Map.of(
                    "RS256", "SHA256withRSA",
                    "RS512", "SHA512withRSA",
                    "ES256", "SHA256withECDSAinP1363Format",
                    "ES512", "SHA512withECDSAinP1363Format",
                    "EdDSA", "Ed25519");

    private static final int SECRET_BYTES = 32;

    private final String method;
    private final Key secret;

    /** PEM; null for a method whose key is secret on both sides. */
    private final String open;

    /** Makes new keys of a method. */
    JwtMaker(String method) {
        this.method = method;
        if (method.startsWith("HS")) {
            secret = new SecretKeySpec(SecureRandom.getSeed(SECRET_BYTES), "HMAC");
            open = null;
            return;
        }
        try {
            KeyPair pair = generator(method).generateKeyPair();
            secret = pair.getPrivate();
            open = pem("PUBLIC KEY", pair.getPublic());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(method, e);
        }
    }

    /** Other keys of the same method. */
    JwtMaker another() {
        return new JwtMaker(method);
    }

    private static KeyPairGenerator generator(String method) throws GeneralSecurityException {
        if (method.equals("EdDSA")) {
            return KeyPairGenerator.getInstance("Ed25519");
        }
        KeyPairGenerator keys =
                KeyPairGenerator.getInstance(method.startsWith("ES") ? "EC" : "RSA");
        if (method.startsWith("ES")) {
            keys.initialize(new ECGenParameterSpec("secp256r1"));
        } else {
            keys.initialize(2048);
        }
        return keys;
    }

    /** Writes the keys, and returns the flag that a server signs and verifies with them. */
    String flag(Path directory, String more) throws IOException {
        Path own = directory.resolve(method + ".key");
        if (open == null) {
            Files.write(own, secret.getEncoded());
            return "--auth-token=jwt,sign-method=" + method + ",priv-key=" + own + more;
        }
        Files.writeString(own, pem("PRIVATE KEY", secret));
        Path shared = Files.writeString(directory.resolve(method + ".pub"), open);
        return "--auth-token=jwt,sign-method="
                + method
                + ",priv-key="
                + own
                + ",pub-key="
                + shared
                + more;
    }

    /** A token with the right header. */
    String token(String claims) {
        return token("{\"alg\":\"" + method + "\",\"typ\":\"JWT\"}", claims);
    }

    /** A token with this header, signed by this method all the same. */
    String token(String header, String claims) {
        return signed(method, secret, header, claims);
    }

    /** A token signed by another method with the same key, which its header names. */
    String tokenBy(String other, String claims) {
        return signed(other, secret, "{\"alg\":\"" + other + "\",\"typ\":\"JWT\"}", claims);
    }

    /** A token signed with the text of the open key, as if that were a secret. */
    String tokenByOpenKey(String claims) {
        String text = open == null ? "no key" : open;
        Key key = new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), "HMAC");
        return signed("HS256", key, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}", claims);
    }

    private static String signed(String method, Key key, String header, String claims) {
        String text = base64(header) + '.' + base64(claims);
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        try {
            return text + '.' + base64(signature(method, key, bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(method, e);
        }
    }

    private static byte[] signature(String method, Key key, byte[] text)
            throws GeneralSecurityException {
        if (method.startsWith("HS")) {
            Mac mac = Mac.getInstance("HmacSHA" + method.substring(2));
            mac.init(key);
            return mac.doFinal(text);
        }
        Signature signature = Signature.getInstance(SIGNATURES.get(method));
        signature.initSign((PrivateKey) key);
        signature.update(text);
        return signature.sign();
    }

    /** Another method that can sign with these keys, where there is one. */
    String otherMethod() {
        return switch (method.substring(0, 2)) {
            case "RS" -> "RS512";
            case "ES" -> "ES512";
            case "HS" -> "HS512";
            default -> method;
        };
    }

    /** Header and claims of a token, as text. */
    static String readable(String token) {
        String[] parts = token.split("\\.", -1);
        Base64.Decoder decoder = Base64.getUrlDecoder();
        return new String(decoder.decode(parts[0]), StandardCharsets.UTF_8)
                + new String(decoder.decode(parts[1]), StandardCharsets.UTF_8);
    }

    static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String pem(String what, Key key) {
        String body = Base64.getMimeEncoder().encodeToString(key.getEncoded());
        return String.join(
                "\n",
                List.of("-----BEGIN " + what + "-----", body, "-----END " + what + "-----", ""));
    }
}
