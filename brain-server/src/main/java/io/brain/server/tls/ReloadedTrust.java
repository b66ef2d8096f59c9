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

/** Trusts whom the authorities of a file vouch for, as that has them now. */
final class ReloadedTrust extends X509ExtendedTrustManager {
    private final ReloadedFiles<Made> trust;
    private final CallerCheck callers;

    /** What is made of the file. */
    private record Made(X509ExtendedTrustManager manager, Instant expiry) {}

    /**
     * Trust in others.
     *
     * @param authorities file of certificates; null: the authorities that Java trusts
     * @param callers what else is asked of who connects; null if nobody does
     * @throws IOException if the file cannot be used
     */
    ReloadedTrust(Path authorities, CallerCheck callers) throws IOException {
        this.trust =
                new ReloadedFiles<>(
                        authorities == null ? List.of() : List.of(authorities),
                        ReloadedTrust::make);
        this.callers = callers;
    }

    /** When the first of the authorities ends. */
    Instant expiry() {
        return trust.get().expiry();
    }

    private static Made make(List<byte[]> files) throws GeneralSecurityException {
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
        return new Made(
                (X509ExtendedTrustManager) factory.getTrustManagers()[0],
                Expiry.first(authorities));
    }

    private X509ExtendedTrustManager now() {
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
        now().checkClientTrusted(chain, type);
        checkCaller(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        now().checkClientTrusted(chain, type, socket);
        checkCaller(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        now().checkClientTrusted(chain, type, engine);
        checkCaller(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        now().checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        now().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        now().checkServerTrusted(chain, type, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return now().getAcceptedIssuers();
    }
}
