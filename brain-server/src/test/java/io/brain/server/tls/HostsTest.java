package io.brain.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @ParameterizedTest
    @CsvSource({
        "one.example,true",
        "ONE.example,true",
        "a.two.example,true",
        "two.example,false",
        "a.b.two.example,false",
        "10.0.0.1,true",
        "10.0.0.2,false",
        "::1,true",
        "0:0:0:0:0:0:0:1,true"
    })
    void aCertificateIsValidForItsAlternativeNames(String host, boolean isFor) throws Exception {
        X509Certificate certificate =
                certificate(List.of("one.example", "*.two.example", "10.0.0.1", "::1"));
        assertThat(Hosts.isFor(certificate, host)).isEqualTo(isFor);
    }

    @Test
    void aSelfSignedCertificateIsValid() throws Exception {
        X509Certificate certificate = certificate(List.of("h"));
        certificate.verify(certificate.getPublicKey());
        assertThat(certificate.getNotBefore().toInstant()).isEqualTo(NOW);
        assertThat(certificate.getNotAfter().toInstant()).isEqualTo(NOW.plusSeconds(9));
        assertThat(certificate.getBasicConstraints()).isNotNegative();
    }

    private static X509Certificate certificate(List<String> hosts) throws Exception {
        byte[] der =
                SelfSignedCertificate.create(
                        TestAuthority.keys("EC"), hosts, NOW, NOW.plusSeconds(9));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(der));
    }
}
