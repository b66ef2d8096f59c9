package io.brain.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {
    /** prime256v1. */
    private static final byte[] CURVE =
            TestAuthority.bytes(0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07);

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aKeyIsReadAsPkcs8(String algorithm) throws Exception {
        PrivateKey key =
                algorithm.equals("Ed25519")
                        ? KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate()
                        : TestAuthority.keys(algorithm).getPrivate();
        assertThat(read(TestAuthority.pem(key))).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aPublicKeyIsRead(String algorithm) throws Exception {
        PublicKey key = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPublic();
        String pem = TestAuthority.pem("PUBLIC KEY", key.getEncoded());
        assertThat(Pem.publicKey(pem.getBytes(StandardCharsets.US_ASCII))).isEqualTo(key);
    }

    @Test
    void aPublicKeyIsReadInPkcs1AndFromACertificate() throws Exception {
        KeyPair keys = TestAuthority.keys("RSA");
        RSAPublicKey key = (RSAPublicKey) keys.getPublic();
        byte[] content =
                Der.element(
                        0x30,
                        Der.element(0x02, key.getModulus().toByteArray()),
                        Der.element(0x02, key.getPublicExponent().toByteArray()));
        String pem = TestAuthority.pem("RSA PUBLIC KEY", content);
        assertThat(Pem.publicKey(pem.getBytes(StandardCharsets.US_ASCII))).isEqualTo(key);
        String certificate = new TestAuthority("authority").certificate("leaf", keys);
        assertThat(Pem.publicKey(certificate.getBytes(StandardCharsets.US_ASCII))).isEqualTo(key);
    }

    @Test
    void aFileWithoutAPublicKeyIsRefused() throws Exception {
        byte[] secret =
                TestAuthority.pem(TestAuthority.keys("EC").getPrivate())
                        .getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> Pem.publicKey(secret)).hasMessage("no public key found");
    }

    @Test
    void anEd25519KeyFitsItsCertificate() throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] certificate =
                new TestAuthority("authority")
                        .certificate("leaf", keys)
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] key = TestAuthority.pem(keys.getPrivate()).getBytes(StandardCharsets.US_ASCII);
        assertThat(Credentials.parse(List.of(certificate, key)).key()).isEqualTo(keys.getPrivate());
    }

    @Test
    void anRsaKeyInPkcs1IsRead() throws Exception {
        RSAPrivateCrtKey key = (RSAPrivateCrtKey) TestAuthority.keys("RSA").getPrivate();
        byte[] content = {};
        for (BigInteger part :
                List.of(
                        BigInteger.ZERO,
                        key.getModulus(),
                        key.getPublicExponent(),
                        key.getPrivateExponent(),
                        key.getPrimeP(),
                        key.getPrimeQ(),
                        key.getPrimeExponentP(),
                        key.getPrimeExponentQ(),
                        key.getCrtCoefficient())) {
            content = Der.join(content, Der.element(0x02, part.toByteArray()));
        }
        String pem = TestAuthority.pem("RSA PRIVATE KEY", Der.element(0x30, content));
        assertThat(read(pem)).isEqualTo(key);
    }

    @Test
    void anEcKeyInSec1IsReadAfterItsParameters() throws Exception {
        ECPrivateKey key = (ECPrivateKey) TestAuthority.keys("EC").getPrivate();
        String pem =
                TestAuthority.pem("EC PARAMETERS", CURVE)
                        + TestAuthority.pem("EC PRIVATE KEY", sec1(key, Der.element(0xa0, CURVE)));
        assertThat(((ECPrivateKey) read(pem)).getS()).isEqualTo(key.getS());
    }

    @Test
    void invalidKeysAreRefused() throws Exception {
        ECPrivateKey key = (ECPrivateKey) TestAuthority.keys("EC").getPrivate();
        byte[] whole = sec1(key, new byte[0]);
        refused(TestAuthority.pem("EC PRIVATE KEY", whole), "does not contain its curve");
        refused(
                TestAuthority.pem("EC PRIVATE KEY", Arrays.copyOf(whole, whole.length / 2)),
                "truncated");
        refused(
                TestAuthority.pem("PRIVATE KEY", new byte[10]),
                "unsupported or damaged private key");
        refused(
                TestAuthority.pem("ENCRYPTED PRIVATE KEY", new byte[10]),
                "no unencrypted private key");
        refused("", "no unencrypted private key");
    }

    @Test
    void certificatesKeepTheirOrder() throws Exception {
        TestAuthority first = new TestAuthority("first");
        TestAuthority second = new TestAuthority("second");
        String both = "text\n" + first.certificate() + "more\n" + second.certificate();
        assertThat(Pem.certificates(both.getBytes(StandardCharsets.US_ASCII)))
                .extracting(c -> c.getSubjectX500Principal().getName())
                .containsExactly("CN=first", "CN=second");
    }

    private static byte[] sec1(ECPrivateKey key, byte[] parameters) {
        byte[] secret = new byte[32];
        byte[] number = key.getS().toByteArray();
        int length = Math.min(number.length, 32);
        System.arraycopy(number, number.length - length, secret, 32 - length, length);
        byte[] version = {0x02, 0x01, 0x01};
        byte[] content = Der.join(version, Der.element(0x04, secret));
        return Der.element(0x30, Der.join(content, parameters));
    }

    private static void refused(String pem, String why) {
        assertThatThrownBy(() -> read(pem))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining(why);
    }

    private static PrivateKey read(String pem) throws GeneralSecurityException {
        return Pem.privateKey(pem.getBytes(StandardCharsets.US_ASCII));
    }
}
