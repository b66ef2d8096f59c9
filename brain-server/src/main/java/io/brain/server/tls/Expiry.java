package io.brain.server.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.function.Supplier;

/**
 * Expiry of the certificates in a file.
 *
 * @param file certificate file
 * @param earliest earliest expiry in the current content of the file
 */
record Expiry(Path file, Supplier<Instant> earliest) {
    static Instant first(Collection<X509Certificate> certificates) {
        return certificates.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
    }

    /**
     * Rejects an expired certificate.
     *
     * @throws GeneralSecurityException if it has expired
     */
    static void requireValid(X509Certificate certificate) throws GeneralSecurityException {
        Instant end = certificate.getNotAfter().toInstant();
        if (end.isBefore(Instant.now())) {
            throw new GeneralSecurityException(
                    "certificate expired at " + end + ": renew it, or correct the clock");
        }
    }
}
