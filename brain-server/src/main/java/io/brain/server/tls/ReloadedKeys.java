package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Identity;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/** A certificate and its key, reloaded when their files change. */
final class ReloadedKeys extends X509ExtendedKeyManager {
    private static final char[] NO_PASSWORD = {};

    private final ReloadedFiles<Content> keys;

    /** Content of the files. */
    private record Content(X509ExtendedKeyManager manager, Instant expiry) {}

    ReloadedKeys(Identity identity) throws IOException {
        keys =
                new ReloadedFiles<>(
                        List.of(identity.certificates(), identity.key()), ReloadedKeys::parse);
    }

    /** Earliest expiry in the certificate chain. */
    Instant expiry() {
        return keys.get().expiry();
    }

    private X509ExtendedKeyManager current() {
        return keys.get().manager();
    }

    private static Content parse(List<byte[]> files) throws GeneralSecurityException {
        List<X509Certificate> chain = Pem.certificates(files.get(0));
        Expiry.requireValid(chain.get(0));
        PrivateKey key = Pem.privateKey(files.get(1));
        requirePair(chain.get(0), key);
        KeyStore store = Stores.empty();
        store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return new Content(
                (X509ExtendedKeyManager) factory.getKeyManagers()[0], Expiry.first(chain));
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
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("private key does not match the certificate");
        }
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return current().getClientAliases(keyType, issuers);
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return current().getServerAliases(keyType, issuers);
    }

    @Override
    public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
        return current().chooseClientAlias(keyTypes, issuers, socket);
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        return current().chooseServerAlias(keyType, issuers, socket);
    }

    @Override
    public String chooseEngineClientAlias(
            String[] keyTypes, Principal[] issuers, SSLEngine engine) {
        return current().chooseEngineClientAlias(keyTypes, issuers, engine);
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        return current().chooseEngineServerAlias(keyType, issuers, engine);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return current().getCertificateChain(alias);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return current().getPrivateKey(alias);
    }
}
