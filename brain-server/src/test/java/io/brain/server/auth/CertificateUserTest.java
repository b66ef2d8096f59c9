package io.brain.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.tls.TestAuthority;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateUserTest {
    @TempDir private Path directory;

    @Test
    void theCommonNameIsTheUser() throws Exception {
        assertThat(CertificateUser.of(session(certificate("alice")), new Metadata()))
                .contains("alice");
    }

    /** As in Go: X500Principal puts the last one of the text first. */
    @Test
    void theLastOfSeveralNamesCounts() throws Exception {
        assertThat(CertificateUser.of(session(certificate("first,CN=second")), new Metadata()))
                .contains("first");
        assertThat(CertificateUser.of(session(certificate("one+CN=two")), new Metadata()))
                .isPresent();
    }

    @Test
    void anEmptyNameIsAUserWithoutPermissions() throws Exception {
        assertThat(CertificateUser.of(session(certificate("")), new Metadata())).contains("");
    }

    @Test
    void withoutACertificateThereIsNoUser() {
        assertThat(CertificateUser.of(session(null), new Metadata())).isEmpty();
        assertThat(CertificateUser.of(Attributes.EMPTY, new Metadata())).isEmpty();
    }

    @Test
    void theCertificateOfAGatewayIsNotItsClients() throws Exception {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("grpcgateway-accept", Metadata.ASCII_STRING_MARSHALLER), "*/*");
        assertThat(CertificateUser.of(session(certificate("gateway")), headers)).isEmpty();
    }

    private Certificate certificate(String name) throws Exception {
        new TestAuthority("authority").issue(directory, name);
        byte[] pem = Files.readAllBytes(directory.resolve(name + ".crt"));
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem));
    }

    /** A session of a client with that certificate, or with none. */
    private static Attributes session(Certificate certificate) {
        SSLSession session =
                (SSLSession)
                        Proxy.newProxyInstance(
                                CertificateUserTest.class.getClassLoader(),
                                new Class<?>[] {SSLSession.class},
                                (proxy, method, arguments) -> {
                                    if (!method.getName().equals("getPeerCertificates")) {
                                        return null;
                                    }
                                    if (certificate == null) {
                                        throw new SSLPeerUnverifiedException("no certificate");
                                    }
                                    return new Certificate[] {certificate};
                                });
        return Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_SSL_SESSION, session).build();
    }
}
