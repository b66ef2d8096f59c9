package io.brain.server.tls;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.util.Arrays;

/**
 * Writes DER, and converts PKCS#1 and SEC 1 keys to those that Java reads; Java 17 has no API for
 * it.
 */
final class Der {
    private static final int INTEGER = 0x02;
    private static final int BITS = 0x03;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;

    /** Tag of the curve parameters in an ECPrivateKey. */
    private static final int CURVE = 0xa0;

    /** rsaEncryption with NULL parameters. */
    private static final byte[] RSA = {
        0x06,
        0x09,
        0x2a,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xf7,
        0x0d,
        0x01,
        0x01,
        0x01,
        0x05,
        0
    };

    /** ecPublicKey, followed by the curve. */
    private static final byte[] EC = {
        0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01
    };

    private Der() {}

    /** Wraps an RSAPrivateKey in PKCS#8. */
    static byte[] wrapRsa(byte[] key) {
        return pkcs8(RSA, key);
    }

    /** Wraps an RSAPublicKey in a SubjectPublicKeyInfo. */
    static byte[] wrapRsaPublic(byte[] key) {
        byte[] noUnusedBits = {0};
        return element(SEQUENCE, element(SEQUENCE, RSA), element(BITS, noUnusedBits, key));
    }

    /**
     * Wraps an ECPrivateKey in PKCS#8.
     *
     * @throws GeneralSecurityException if it does not contain the curve
     */
    static byte[] wrapEc(byte[] key) throws GeneralSecurityException {
        int[] at = {0};
        int end = enter(key, at);
        while (at[0] < end) {
            int tag = key[at[0]] & 0xff;
            int next = enter(key, at);
            if (tag == CURVE) {
                return pkcs8(join(EC, Arrays.copyOfRange(key, at[0], next)), key);
            }
            at[0] = next;
        }
        throw new GeneralSecurityException("the private key does not contain its curve");
    }

    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        byte[] version = {INTEGER, 1, 0};
        return element(SEQUENCE, version, element(SEQUENCE, algorithm), element(OCTETS, key));
    }

    /** Moves to the content of an element; returns its end. */
    private static int enter(byte[] der, int[] at) throws GeneralSecurityException {
        int from = at[0] + 2;
        if (from > der.length) {
            throw new GeneralSecurityException("the private key is truncated");
        }
        int length = der[from - 1] & 0xff;
        if (length >= 0x80) {
            int bytes = length - 0x80;
            length = 0;
            for (int i = 0; i < bytes && i < 3 && from < der.length; i++) {
                length = length << 8 | (der[from++] & 0xff);
            }
        }
        if (length > der.length - from) {
            throw new GeneralSecurityException("the private key is truncated");
        }
        at[0] = from;
        return from + length;
    }

    /** Encodes an element whose content is the concatenation of {@code parts}. */
    static byte[] element(int tag, byte[]... parts) {
        byte[] content = join(parts);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.length;
        if (length >= 0x80) {
            int bytes = (39 - Integer.numberOfLeadingZeros(length)) / 8;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i > 0; i--) {
                out.write(length >>> (8 * i));
            }
        }
        out.write(length);
        out.writeBytes(content);
        return out.toByteArray();
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }
}
