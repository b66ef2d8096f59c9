package io.brain.server.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.function.Supplier;

/**
 * When what a file certifies ends.
 *
 * @param file of certificates
 * @param ends of the certificate in it that ends first, as the file is now
 */
record Expiry(Path file, Supplier<Instant> ends) {
    static Instant first(Collection<X509Certificate> certificates) {
        return certificates.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
    }

    /**
     * Nobody would accept it.
     *
     * @throws GeneralSecurityException if it has expired
     */
    static void requireValid(X509Certificate certificate) throws GeneralSecurityException {
        Instant end = certificate.getNotAfter().toInstant();
        if (end.isBefore(Instant.now())) {
            throw new GeneralSecurityException(
                    "the certificate expired at " + end + ": renew it, or set the clock right");
        }
    }
}
