package io.brain.server.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts the CAs of a file, reloaded when it changes. */
final class ReloadedTrust extends X509ExtendedTrustManager {
    private final ReloadedFiles<Content> trust;
    private final CallerCheck callers;

    /** Content of the file. */
    private record Content(X509ExtendedTrustManager manager, Instant expiry) {}

    /**
     * Creates a trust manager.
     *
     * @param authorities CA bundle; null: Java's default CAs
     * @param callers additional checks of clients; null for none
     * @throws IOException if the file cannot be loaded
     */
    ReloadedTrust(Path authorities, CallerCheck callers) throws IOException {
        this.trust =
                new ReloadedFiles<>(
                        authorities == null ? List.of() : List.of(authorities),
                        ReloadedTrust::parse);
        this.callers = callers;
    }

    /** Earliest expiry of the CAs. */
    Instant expiry() {
        return trust.get().expiry();
    }

    private static Content parse(List<byte[]> files) throws GeneralSecurityException {
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore store = null;
        List<X509Certificate> authorities = List.of();
        if (!files.isEmpty()) {
            store = Stores.empty();
            authorities = Pem.certificates(files.get(0));
            for (X509Certificate authority : authorities) {
                store.setCertificateEntry("authority-" + store.size(), authority);
            }
        }
        factory.init(store);
        return new Content(
                (X509ExtendedTrustManager) factory.getTrustManagers()[0],
                Expiry.first(authorities));
    }

    private X509ExtendedTrustManager current() {
        return trust.get().manager();
    }

    private void checkCaller(X509Certificate[] chain) throws CertificateException {
        if (callers != null) {
            callers.check(chain);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        current().checkClientTrusted(chain, type);
        checkCaller(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        current().checkClientTrusted(chain, type, socket);
        checkCaller(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        current().checkClientTrusted(chain, type, engine);
        checkCaller(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        current().checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        current().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        current().checkServerTrusted(chain, type, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return current().getAcceptedIssuers();
    }
}
