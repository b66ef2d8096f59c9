package io.brain.server.tls;

import io.netty.util.NetUtil;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/** Creates self-signed certificates with an elliptic-curve key. */
final class Certificate {
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
    private static final X500Principal SUBJECT = new X500Principal("O=brain");
    private static final int SERIAL_BITS = 127;

    private Certificate() {}

    /**
     * Creates a self-signed certificate, in DER.
     *
     * @param hosts DNS names and IP addresses; at least one
     */
    static byte[] selfSigned(KeyPair keys, List<String> hosts, Instant from, Instant to)
            throws GeneralSecurityException {
        BigInteger serial = new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(0);
        byte[] isAuthority = Der.element(SEQUENCE, Der.element(BOOLEAN, new byte[] {(byte) 0xff}));
        byte[] names = {};
        for (String host : hosts) {
            names = Der.join(names, name(host));
        }
        byte[] extensions =
                Der.join(
                        extension(CONSTRAINTS, isAuthority),
                        extension(NAMES, Der.element(SEQUENCE, names)));
        byte[] content = Der.element(VERSION, Der.element(INTEGER, new byte[] {2}));
        content = Der.join(content, Der.element(INTEGER, serial.toByteArray()));
        content = Der.join(content, ALGORITHM);
        content = Der.join(content, SUBJECT.getEncoded());
        content = Der.join(content, Der.element(SEQUENCE, Der.join(time(from), time(to))));
        content = Der.join(content, SUBJECT.getEncoded());
        content = Der.join(content, keys.getPublic().getEncoded());
        content = Der.join(content, Der.element(EXTENSIONS, Der.element(SEQUENCE, extensions)));
        byte[] signed = Der.element(SEQUENCE, content);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(signed);
        byte[] bits = Der.element(BITS, Der.join(new byte[1], signature.sign()));
        return Der.element(SEQUENCE, Der.join(signed, Der.join(ALGORITHM, bits)));
    }

    private static byte[] name(String host) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        return address == null
                ? Der.element(NAME, host.getBytes(StandardCharsets.US_ASCII))
                : Der.element(ADDRESS, address);
    }

    private static byte[] extension(byte[] kind, byte[] value) {
        return Der.element(SEQUENCE, Der.join(kind, Der.element(OCTETS, value)));
    }

    private static byte[] time(Instant at) {
        String text =
                DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
                        .withZone(ZoneOffset.UTC)
                        .format(at);
        return Der.element(TIME, text.getBytes(StandardCharsets.US_ASCII));
    }
}
