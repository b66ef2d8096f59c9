package io.brain.server.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * A certificate and its private key.
 *
 * @param chain one or more certificates, the leaf first
 */
record Credentials(PrivateKey key, List<X509Certificate> chain) {
    /** Java's Ed25519 does not verify an empty message. */
    private static final byte SIGNED = 1;

    /**
     * Parses a certificate file and a key file.
     *
     * @throws GeneralSecurityException if one is invalid, the certificate has expired, or they do
     *     not match
     */
    static Credentials parse(List<byte[]> files) throws GeneralSecurityException {
        List<X509Certificate> chain = Pem.certificates(files.get(0));
        requireValid(chain.get(0));
        PrivateKey key = Pem.privateKey(files.get(1));
        requirePair(chain.get(0), key);
        return new Credentials(key, chain);
    }

    private static void requireValid(X509Certificate certificate) throws GeneralSecurityException {
        Instant end = certificate.getNotAfter().toInstant();
        if (end.isBefore(Instant.now())) {
            throw new GeneralSecurityException(
                    "certificate expired at " + end + ": renew it, or correct the clock");
        }
    }

    /** Rejects a mismatch, which occurs while the two files are replaced. */
    private static void requirePair(X509Certificate certificate, PrivateKey key)
            throws GeneralSecurityException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> "Ed25519";
                };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(SIGNED);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(SIGNED);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("private key does not match the certificate");
        }
    }
}
