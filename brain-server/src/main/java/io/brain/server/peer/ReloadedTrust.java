package io.brain.server.peer;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts whom the authorities of a file vouch for, as that has them now. */
final class ReloadedTrust extends X509ExtendedTrustManager {
    private final ReloadedFiles<X509ExtendedTrustManager> trust;

    ReloadedTrust(Path authorities) throws IOException {
        trust = new ReloadedFiles<>(List.of(authorities), ReloadedTrust::make);
    }

    private static X509ExtendedTrustManager make(List<byte[]> files)
            throws GeneralSecurityException {
        KeyStore store = Stores.empty();
        for (X509Certificate authority : Pem.certificates(files.get(0))) {
            store.setCertificateEntry("authority-" + store.size(), authority);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        trust.get().checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        trust.get().checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        trust.get().checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        trust.get().checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        trust.get().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        trust.get().checkServerTrusted(chain, type, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.get().getAcceptedIssuers();
    }
}
