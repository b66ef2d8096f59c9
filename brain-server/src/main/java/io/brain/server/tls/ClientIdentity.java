package io.brain.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** TLS identity and trust of a client program; files are read once. */
public final class ClientIdentity {
    private static final char[] NO_PASSWORD = new char[0];

    private ClientIdentity() {}

    /**
     * Creates a context from PEM files.
     *
     * @param trusted CA bundle that verifies servers; null: Java's default
     * @param certificate client certificate; null for none
     * @param key its private key; null for none
     */
    public static SSLContext context(Path trusted, Path certificate, Path key)
            throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                certificate == null ? null : keys(certificate, key),
                trusted == null ? null : trust(trusted),
                null);
        return context;
    }

    private static KeyManager[] keys(Path certificate, Path key)
            throws GeneralSecurityException, IOException {
        List<X509Certificate> chain = Pem.certificates(Files.readAllBytes(certificate));
        KeyStore store = Stores.empty();
        store.setKeyEntry(
                "own",
                Pem.privateKey(Files.readAllBytes(key)),
                NO_PASSWORD,
                chain.toArray(Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static TrustManager[] trust(Path trusted) throws GeneralSecurityException, IOException {
        KeyStore store = Stores.empty();
        int number = 0;
        for (X509Certificate authority : Pem.certificates(Files.readAllBytes(trusted))) {
            store.setCertificateEntry("authority" + number++, authority);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }
}
