package io.brain.server.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses certificates and keys in PEM files, in the formats that etcd accepts. */
public final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    private Pem() {}

    /**
     * Parses the certificates of a file, in order; at least one.
     *
     * @throws GeneralSecurityException if there is none, or one is damaged
     */
    static List<X509Certificate> certificates(byte[] file) throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher block = blocks(file);
        while (block.find()) {
            if (block.group(1).equals("CERTIFICATE")) {
                certificates.add(
                        (X509Certificate)
                                factory.generateCertificate(
                                        new ByteArrayInputStream(decode(block.group(2)))));
            }
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("no certificate found");
        }
        return certificates;
    }

    /** Parses the certificates of the only file. */
    static List<X509Certificate> bundle(List<byte[]> files) throws GeneralSecurityException {
        return certificates(files.get(0));
    }

    /**
     * Parses the private key of a file: PKCS#8, PKCS#1 or SEC 1.
     *
     * @throws GeneralSecurityException if there is none, or the format is not supported
     */
    public static PrivateKey privateKey(byte[] file) throws GeneralSecurityException {
        Matcher block = blocks(file);
        while (block.find()) {
            byte[] der = decode(block.group(2));
            switch (block.group(1)) {
                case "PRIVATE KEY" -> {
                    return pkcs8(der);
                }
                case "RSA PRIVATE KEY" -> {
                    return pkcs8(Der.wrapRsa(der));
                }
                case "EC PRIVATE KEY" -> {
                    return pkcs8(Der.wrapEc(der));
                }
                default -> {} // such as EC PARAMETERS
            }
        }
        throw new GeneralSecurityException("no unencrypted private key found");
    }

    /**
     * Parses the first public key of a file: of a certificate, or by itself.
     *
     * @throws GeneralSecurityException if there is none, or the format is not supported
     */
    public static PublicKey publicKey(byte[] file) throws GeneralSecurityException {
        Matcher block = blocks(file);
        while (block.find()) {
            byte[] der = decode(block.group(2));
            switch (block.group(1)) {
                case "PUBLIC KEY" -> {
                    return x509(der);
                }
                case "RSA PUBLIC KEY" -> {
                    return x509(Der.wrapRsaPublic(der));
                }
                case "CERTIFICATE" -> {
                    return CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der))
                            .getPublicKey();
                }
                default -> {} // such as EC PARAMETERS
            }
        }
        throw new GeneralSecurityException("no public key found");
    }

    private static PublicKey x509(byte[] der) throws GeneralSecurityException {
        InvalidKeySpecException last = null;
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePublic(new X509EncodedKeySpec(der));
            } catch (InvalidKeySpecException another) {
                last = another;
            }
        }
        throw new GeneralSecurityException("unsupported or damaged public key", last);
    }

    private static PrivateKey pkcs8(byte[] der) throws GeneralSecurityException {
        InvalidKeySpecException last = null;
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (InvalidKeySpecException another) {
                last = another;
            }
        }
        throw new GeneralSecurityException("unsupported or damaged private key", last);
    }

    private static Matcher blocks(byte[] file) {
        return BLOCK.matcher(new String(file, StandardCharsets.ISO_8859_1));
    }

    private static byte[] decode(String text) {
        return Base64.getMimeDecoder().decode(text);
    }
}
