package io.brain.server.auth;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import javax.crypto.KeyAgreement;

/** Finds the public key of a private key; Java has no API for it. */
final class PublicKeys {
    /** Java's Ed25519 does not verify an empty message. */
    private static final byte SIGNED = 1;

    private PublicKeys() {}

    static PublicKey of(PrivateKey key) throws GeneralSecurityException {
        if (key instanceof RSAPrivateCrtKey rsa) {
            return KeyFactory.getInstance("RSA")
                    .generatePublic(
                            new RSAPublicKeySpec(rsa.getModulus(), rsa.getPublicExponent()));
        }
        if (key instanceof ECPrivateKey ec) {
            return of(ec);
        }
        byte[] seed =
                ((EdECPrivateKey) key)
                        .getBytes()
                        .orElseThrow(() -> new GeneralSecurityException("unreadable private key"));
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
        generator.initialize(NamedParameterSpec.ED25519, new Fixed(seed));
        PublicKey found = generator.generateKeyPair().getPublic();
        if (!isPair(key, found, "Ed25519")) {
            throw new GeneralSecurityException("cannot compute the public key");
        }
        return found;
    }

    /** The key agreement with the curve's generator gives x; two values of y belong to it. */
    private static PublicKey of(ECPrivateKey key) throws GeneralSecurityException {
        ECParameterSpec curve = key.getParams();
        KeyFactory keys = KeyFactory.getInstance("EC");
        KeyAgreement product = KeyAgreement.getInstance("ECDH");
        product.init(key);
        product.doPhase(
                keys.generatePublic(new ECPublicKeySpec(curve.getGenerator(), curve)), true);
        BigInteger x = new BigInteger(1, product.generateSecret());
        BigInteger p = ((ECFieldFp) curve.getCurve().getField()).getP();
        BigInteger square =
                x.pow(3).add(curve.getCurve().getA().multiply(x)).add(curve.getCurve().getB());
        BigInteger y = square.modPow(p.add(BigInteger.ONE).shiftRight(2), p);
        PublicKey one = keys.generatePublic(new ECPublicKeySpec(new ECPoint(x, y), curve));
        ECPoint opposite = new ECPoint(x, p.subtract(y));
        return isPair(key, one, "SHA256withECDSA")
                ? one
                : keys.generatePublic(new ECPublicKeySpec(opposite, curve));
    }

    private static boolean isPair(PrivateKey key, PublicKey other, String algorithm)
            throws GeneralSecurityException {
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(SIGNED);
        byte[] signed = signature.sign();
        signature.initVerify(other);
        signature.update(SIGNED);
        return signature.verify(signed);
    }

    /** Makes the generator of key pairs take a known seed. */
    private static final class Fixed extends SecureRandom {
        private static final long serialVersionUID = 1L;

        private final byte[] seed;

        Fixed(byte[] seed) {
            super(null, null);
            this.seed = seed;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            System.arraycopy(seed, 0, bytes, 0, bytes.length);
        }
    }
}
