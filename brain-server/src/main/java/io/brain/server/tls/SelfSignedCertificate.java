package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.SelfSigned;
import io.brain.transfer.etcd.PrivateFiles;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Generates self-signed certificates with an elliptic-curve key; Java 17 has no API for it. */
final class SelfSignedCertificate {
    private static final Logger LOG = LoggerFactory.getLogger(SelfSignedCertificate.class);
    private static final Duration YEAR = Duration.ofDays(365);

    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BITS = 0x03;
    private static final int OCTETS = 0x04;
    private static final int TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int NAME = 0x82;
    private static final int ADDRESS = 0x87;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;

    /** ecdsa-with-SHA256. */
    private static final byte[] ALGORITHM =
            Der.element(
                    SEQUENCE,
                    new byte[] {
                        0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
                    });

    private static final byte[] CONSTRAINTS = {0x06, 0x03, 0x55, 0x1d, 0x13};
    private static final byte[] NAMES = {0x06, 0x03, 0x55, 0x1d, 0x11};
    private static final byte[] SUBJECT = new X500Principal("O=brain").getEncoded();
    private static final int SERIAL_BITS = 127;
    private static final DateTimeFormatter UTC =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private SelfSignedCertificate() {}

    /**
     * Generates a certificate and its key as files, unless both exist.
     *
     * @throws IOException if they cannot be written
     */
    static void ensure(Identity files, SelfSigned wanted) throws IOException {
        if (Files.exists(files.certificates()) && Files.exists(files.key())) {
            return;
        }
        Instant now = Instant.now();
        Instant end = now.plus(YEAR.multipliedBy(wanted.years()));
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            byte[] certificate = create(keys, wanted.hosts(), now, end);
            Path directory = files.certificates().toAbsolutePath().getParent();
            PrivateFiles.createDirectories(directory);
            Files.deleteIfExists(files.key());
            PrivateFiles.create(files.key());
            Files.writeString(files.key(), pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
            Files.writeString(files.certificates(), pem("CERTIFICATE", certificate));
        } catch (IOException unwritable) {
            throw new IOException(
                    "cannot write " + files.certificates() + ": " + unwritable, unwritable);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
        LOG.warn("generated self-signed certificate {}, valid until {}", files.certificates(), end);
    }

    /**
     * Creates a certificate, in DER.
     *
     * @param hosts DNS names and IP addresses; at least one
     */
    static byte[] create(KeyPair keys, List<String> hosts, Instant from, Instant to)
            throws GeneralSecurityException {
        byte[] serial = new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(0).toByteArray();
        byte[] isAuthority = Der.element(SEQUENCE, Der.element(BOOLEAN, new byte[] {(byte) 0xff}));
        byte[] names =
                Der.element(
                        SEQUENCE,
                        hosts.stream().map(SelfSignedCertificate::name).toArray(byte[][]::new));
        byte[] extensions =
                Der.element(SEQUENCE, extension(CONSTRAINTS, isAuthority), extension(NAMES, names));
        byte[] signed =
                Der.element(
                        SEQUENCE,
                        Der.element(VERSION, Der.element(INTEGER, new byte[] {2})),
                        Der.element(INTEGER, serial),
                        ALGORITHM,
                        SUBJECT,
                        Der.element(SEQUENCE, time(from), time(to)),
                        SUBJECT,
                        keys.getPublic().getEncoded(),
                        Der.element(EXTENSIONS, extensions));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(signed);
        byte[] bits = Der.element(BITS, new byte[1], signature.sign());
        return Der.element(SEQUENCE, signed, ALGORITHM, bits);
    }

    private static byte[] name(String host) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        return address == null
                ? Der.element(NAME, host.getBytes(StandardCharsets.US_ASCII))
                : Der.element(ADDRESS, address);
    }

    private static byte[] extension(byte[] kind, byte[] value) {
        return Der.element(SEQUENCE, kind, Der.element(OCTETS, value));
    }

    private static byte[] time(Instant at) {
        return Der.element(TIME, UTC.format(at).getBytes(StandardCharsets.US_ASCII));
    }

    private static String pem(String what, byte[] der) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
