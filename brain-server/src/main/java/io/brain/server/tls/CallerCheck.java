package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Callers;
import io.brain.server.tls.ReloadedContext.Content;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;

/** Checks client certificates after the CA check, as in etcd: CRL, common names and host names. */
final class CallerCheck implements SslSocketAndEnginePeerVerifier {
    private final Callers callers;
    private final Set<BigInteger> revoked;

    private CallerCheck(Callers callers, Set<BigInteger> revoked) {
        this.callers = callers;
        this.revoked = revoked;
    }

    /**
     * Creates a trust manager for client certificates.
     *
     * @param content trusted CAs, by default Java's, and CRL
     * @throws IOException if the CAs cannot be used
     */
    static TrustManager trustManager(Callers callers, Content content) throws IOException {
        List<X509Certificate> authorities = content.authorities();
        CallerCheck check = new CallerCheck(callers, content.revoked());
        try {
            AdvancedTlsX509TrustManager manager =
                    AdvancedTlsX509TrustManager.newBuilder()
                            .setSslSocketAndEnginePeerVerifier(check)
                            .build();
            if (authorities.isEmpty()) {
                manager.useSystemDefaultTrustCerts();
            } else {
                manager.updateTrustCredentials(authorities.toArray(X509Certificate[]::new));
            }
            return manager;
        } catch (GeneralSecurityException unusable) {
            throw new IOException("cannot use the CA certificates", unusable);
        }
    }

    /**
     * Parses a CRL, in DER as in etcd, or PEM. As in etcd, only serial numbers count, regardless of
     * the issuer.
     */
    static Set<BigInteger> serials(List<byte[]> files) throws GeneralSecurityException {
        X509CRL list =
                (X509CRL)
                        CertificateFactory.getInstance("X.509")
                                .generateCRL(new ByteArrayInputStream(files.get(0)));
        return Stream.ofNullable(list.getRevokedCertificates())
                .flatMap(Set::stream)
                .map(entry -> entry.getSerialNumber())
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        for (X509Certificate certificate : chain) {
            if (revoked.contains(certificate.getSerialNumber())) {
                throw new CertificateException(
                        "certificate serial "
                                + certificate.getSerialNumber().toString(16)
                                + " revoked");
            }
        }
        boolean named =
                callers.names().isEmpty() || callers.names().contains(CommonName.of(chain[0]));
        boolean hosted =
                callers.hosts().isEmpty()
                        || callers.hosts().stream().anyMatch(host -> Hosts.isFor(chain[0], host));
        if (!named || !hosted) {
            throw new CertificateException("client certificate authentication failed");
        }
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String type, Socket socket) {
        throw new UnsupportedOperationException("connections use an SSLEngine");
    }
}
