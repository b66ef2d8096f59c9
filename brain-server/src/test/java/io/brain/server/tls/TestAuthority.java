package io.brain.server.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import javax.security.auth.x500.X500Principal;

/** A CA that issues certificates for tests. */
public final class TestAuthority {
    private static final byte[] ECDSA_SHA256 =
            Der.element(0x30, bytes(0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
    private static final byte[] BASIC_CONSTRAINTS = bytes(0x06, 0x03, 0x55, 0x1d, 0x13);
    private static final byte[] ALTERNATIVE_NAMES = bytes(0x06, 0x03, 0x55, 0x1d, 0x11);

    private static final Duration VALID = Duration.ofHours(1);

    private static int serial;

    private final String name;
    private final KeyPair keys;

    public TestAuthority(String name) throws GeneralSecurityException {
        this.name = "CN=" + name;
        this.keys = keys("EC");
    }

    public static KeyPair keys(String algorithm) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (algorithm.equals("EC")) {
            generator.initialize(new ECGenParameterSpec("secp256r1"));
        } else {
            generator.initialize(2048);
        }
        return generator.generateKeyPair();
    }

    /** Its own certificate, as PEM. */
    public String certificate() throws GeneralSecurityException {
        byte[] isAuthority = Der.element(0x30, bytes(0x01, 0x01, 0xff));
        byte[] extension = extension(BASIC_CONSTRAINTS, isAuthority);
        return pem("CERTIFICATE", certificate(name, keys, extension, VALID));
    }

    /** A certificate for 127.0.0.1, as PEM. */
    String certificate(String subject, KeyPair subjectKeys) throws GeneralSecurityException {
        byte[] names = Der.element(0x30, Der.element(0x87, bytes(127, 0, 0, 1)));
        byte[] extension = extension(ALTERNATIVE_NAMES, names);
        return pem("CERTIFICATE", certificate("CN=" + subject, subjectKeys, extension, VALID));
    }

    /** Issues NAME.crt and NAME.key. */
    public void issue(Path directory, String file) {
        issue(directory, file, VALID);
    }

    /** Issues a certificate that is valid for {@code left}; its common name is the file name. */
    public void issue(Path directory, String file, Duration left) {
        try {
            KeyPair subject = keys("EC");
            byte[] names = Der.element(0x30, Der.element(0x87, bytes(127, 0, 0, 1)));
            byte[] extension = extension(ALTERNATIVE_NAMES, names);
            byte[] certificate = certificate("CN=" + file, subject, extension, left);
            Files.writeString(directory.resolve(file + ".crt"), pem("CERTIFICATE", certificate));
            Files.writeString(directory.resolve(file + ".key"), pem(subject.getPrivate()));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A CRL in DER. */
    public byte[] revoked(Path... certificates) throws IOException, GeneralSecurityException {
        byte[] entries = {};
        for (Path file : certificates) {
            X509Certificate taken = Pem.certificates(Files.readAllBytes(file)).get(0);
            byte[] number = Der.element(0x02, taken.getSerialNumber().toByteArray());
            entries = Der.join(entries, Der.element(0x30, Der.join(number, time(Duration.ZERO))));
        }
        byte[] content = Der.join(Der.element(0x02, bytes(1)), ECDSA_SHA256);
        content = Der.join(content, new X500Principal(name).getEncoded());
        content = Der.join(content, Der.join(time(Duration.ofHours(-1)), time(VALID)));
        return signed(Der.join(content, Der.element(0x30, entries)));
    }

    private byte[] certificate(String subject, KeyPair subjectKeys, byte[] extension, Duration left)
            throws GeneralSecurityException {
        serial++;
        byte[] version = Der.element(0xa0, bytes(0x02, 0x01, 0x02));
        byte[] number = Der.element(0x02, bytes(serial >>> 8, serial));
        byte[] validity = Der.element(0x30, Der.join(time(Duration.ofHours(-2)), time(left)));
        byte[] content = Der.join(version, Der.join(number, ECDSA_SHA256));
        content = Der.join(content, new X500Principal(name).getEncoded());
        content = Der.join(content, validity);
        content = Der.join(content, new X500Principal(subject).getEncoded());
        content = Der.join(content, subjectKeys.getPublic().getEncoded());
        content = Der.join(content, Der.element(0xa3, Der.element(0x30, extension)));
        return signed(content);
    }

    private byte[] signed(byte[] content) throws GeneralSecurityException {
        byte[] signed = Der.element(0x30, content);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(signed);
        byte[] bits = Der.element(0x03, Der.join(new byte[1], signature.sign()));
        return Der.element(0x30, Der.join(signed, Der.join(ECDSA_SHA256, bits)));
    }

    private static byte[] extension(byte[] kind, byte[] value) {
        return Der.element(0x30, Der.join(kind, Der.element(0x04, value)));
    }

    private static byte[] time(Duration fromNow) {
        String text =
                DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
                        .withZone(ZoneOffset.UTC)
                        .format(Instant.now().plus(fromNow));
        return Der.element(0x18, text.getBytes(StandardCharsets.US_ASCII));
    }

    public static String pem(PrivateKey key) {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    static String pem(String what, byte[] der) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }

    static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
