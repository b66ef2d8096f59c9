package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Callers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks client certificates after the CA check, as in etcd: CRL, common names and host names. */
final class CallerCheck {
    private final Callers callers;

    /** Revoked serial numbers; null without a CRL. */
    private final ReloadedFiles<Set<BigInteger>> revoked;

    /**
     * Creates a check.
     *
     * @throws IOException if the CRL cannot be loaded
     */
    CallerCheck(Callers callers) throws IOException {
        this.callers = callers;
        this.revoked =
                callers.revoked() == null
                        ? null
                        : new ReloadedFiles<>(List.of(callers.revoked()), CallerCheck::serials);
    }

    /**
     * Checks a client certificate that the CA has verified.
     *
     * @throws CertificateException if it is revoked or not allowed
     */
    void check(X509Certificate[] chain) throws CertificateException {
        if (revoked != null) {
            Set<BigInteger> serials = revoked.get();
            for (X509Certificate certificate : chain) {
                if (serials.contains(certificate.getSerialNumber())) {
                    throw new CertificateException(
                            "certificate serial "
                                    + certificate.getSerialNumber().toString(16)
                                    + " revoked");
                }
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

    /**
     * As in etcd, by serial number only, regardless of the issuer. Accepts DER, as etcd, and PEM.
     */
    private static Set<BigInteger> serials(List<byte[]> files) throws GeneralSecurityException {
        X509CRL list =
                (X509CRL)
                        CertificateFactory.getInstance("X.509")
                                .generateCRL(new ByteArrayInputStream(files.get(0)));
        return Stream.ofNullable(list.getRevokedCertificates())
                .flatMap(Set::stream)
                .map(entry -> entry.getSerialNumber())
                .collect(Collectors.toUnmodifiableSet());
    }
}
