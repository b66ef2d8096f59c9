package io.brain.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.server.TestServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which clients are accepted, by certificate. */
@Timeout(60)
class ClientTlsTest {
    private static final int HANDSHAKE_MILLIS_MAX = 30_000;

    @TempDir private Path directory;
    private TestAuthority authority;
    private TlsClients clients;
    private TestServer server;

    @BeforeEach
    void makeCertificates() throws Exception {
        authority = new TestAuthority("authority");
        Files.writeString(file("ca.crt"), authority.certificate());
        authority.issue(directory, "server");
        authority.issue(directory, "client");
        TestAuthority foreign = new TestAuthority("foreign");
        Files.writeString(file("foreign-ca.crt"), foreign.certificate());
        foreign.issue(directory, "foreign");
        clients = new TlsClients(directory);
    }

    @AfterEach
    void stop() {
        clients.close();
        if (server != null) {
            server.close();
        }
    }

    @Test
    void withoutACaClientsNeedNoCertificate() throws Exception {
        start();
        assertThat(served("ca", null)).isTrue();
        assertThat(served("ca", "foreign")).isTrue();
        assertThat(served("foreign-ca", null)).isFalse();
    }

    @Test
    void withACaClientsNeedACertificate() throws Exception {
        start(mutual());
        assertThat(served("ca", "client")).isTrue();
        assertThat(served("ca", null)).isFalse();
        assertThat(served("ca", "foreign")).isFalse();
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        authority.issue(directory, "late", Duration.ofHours(-1));
        start(mutual());
        assertThat(served("ca", "late")).isFalse();
    }

    /** GHSA-3wh4-j44w-pg92. */
    @Test
    void aRevokedCertificateIsRefused() throws Exception {
        Files.write(file("crl"), authority.revoked());
        authority.issue(directory, "other");
        start(mutual(), "--client-crl-file=" + file("crl"));
        assertThat(served("ca", "client")).isTrue();
        Files.write(file("crl"), authority.revoked(file("client.crt")));
        Thread.sleep(1100); // files are checked once per second
        assertThat(served("ca", "client")).isFalse();
        assertThat(served("ca", "other")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "--client-cert-allowed-cn=client,true",
        "--client-cert-allowed-cn=other;client,true",
        "--client-cert-allowed-cn=clien,false",
        "--client-cert-allowed-hostname=127.0.0.1,true",
        "--client-cert-allowed-hostname=127.0.0.2;localhost,false"
    })
    void aCertificateMustHaveOneOfTheNames(String flag, boolean accepted) throws Exception {
        start(mutual(), flag.replace(';', ','));
        assertThat(served("ca", "client")).isEqualTo(accepted);
    }

    @Test
    void certificatesAndCasAreReloaded() throws Exception {
        start(mutual());
        assertThat(served("ca", "client")).isTrue();
        TestAuthority renewed = new TestAuthority("renewed");
        Files.writeString(file("ca.crt"), renewed.certificate());
        renewed.issue(directory, "server");
        renewed.issue(directory, "renewed");
        Thread.sleep(1100);
        assertThat(served("ca", "renewed")).isTrue();
        assertThat(served("ca", "client")).isFalse();
    }

    /** GHSA-6vch-q96h-7gc3: a handshake has 10 s, whether it is begun or not. */
    @Test
    void aStalledHandshakeIsEnded() throws Exception {
        start("--listen-metrics-urls=https://127.0.0.1:0");
        byte[] firstBytesOfAHello = {22, 3, 1, 0, (byte) 200, 1};
        List<Socket> stalled = new ArrayList<>();
        for (InetSocketAddress address : List.of(server.address(), server.metricsAddress())) {
            for (byte[] sent : List.of(new byte[0], firstBytesOfAHello)) {
                Socket socket = new Socket(address.getAddress(), address.getPort());
                socket.setSoTimeout(HANDSHAKE_MILLIS_MAX);
                socket.getOutputStream().write(sent);
                stalled.add(socket);
            }
        }
        for (Socket socket : stalled) {
            assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(10);
            socket.close();
        }
        assertThat(served("ca", null)).isTrue();
    }

    @Test
    void httpClientsAreServed() throws Exception {
        start("--listen-metrics-urls=https://127.0.0.1:0");
        assertThat(clients.get(server.address(), "/livez").body()).isEqualTo("ok\n");
        assertThat(clients.get(server.metricsAddress(), "/livez").body()).isEqualTo("ok\n");
        assertThat(clients.get(server.address(), "/metrics").body())
                .contains(
                        "brain_certificate_expiry_timestamp_seconds{file=\""
                                + file("server.crt")
                                + "\"} "
                                + Pem.certificates(Files.readAllBytes(file("server.crt")))
                                        .get(0)
                                        .getNotAfter()
                                        .toInstant()
                                        .getEpochSecond());
    }

    @Test
    void httpMayHaveSeparateAddresses() throws Exception {
        start("--listen-client-http-urls=https://127.0.0.1:0");
        assertThat(clients.get(server.pagesAddress(), "/health").statusCode()).isEqualTo(200);
        assertThat(served("ca", null)).isTrue();
        assertThatThrownBy(() -> clients.get(server.address(), "/health"))
                .isInstanceOf(IOException.class);
    }

    @Test
    void oneAddressMayServePlaintextAndTls() throws Exception {
        start("--listen-client-urls=http://127.0.0.1:0,https://127.0.0.1:0");
        assertThat(TlsClients.isServed(server.channel())).isTrue();
        assertThat(served("ca", null)).isTrue();
        assertThat(clients.get(server.address(), "/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void plaintextToATlsAddressIsRefused() throws Exception {
        start();
        assertThat(TlsClients.isServed(server.channel())).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"TLS1.2,TLS1.2,TLSv1.2", "TLS1.2,'',TLSv1.3", "TLS1.3,TLS1.3,TLSv1.3"})
    void versionsAreBounded(String least, String most, String spoken) throws Exception {
        start("--tls-min-version=" + least, "--tls-max-version=" + most);
        assertThat(clients.get(server.address(), "/livez").sslSession().orElseThrow().getProtocol())
                .isEqualTo(spoken);
    }

    @Test
    void cipherSuitesAreConfigurable() throws Exception {
        String suite = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
        start("--tls-max-version=TLS1.2", "--cipher-suites=" + suite);
        assertThat(
                        clients.get(server.address(), "/livez")
                                .sslSession()
                                .orElseThrow()
                                .getCipherSuite())
                .isEqualTo(suite);
    }

    @Test
    void aSelfSignedCertificateIsGeneratedOnce() throws Exception {
        String[] flags = {
            "--listen-client-urls=https://127.0.0.1:0",
            "--auto-tls",
            "--data-dir=" + directory.resolve("data")
        };
        server = new TestServer(flags);
        Path made = directory.resolve("data/fixtures/client/cert.pem");
        String first = Files.readString(made);
        assertThat(Files.getPosixFilePermissions(directory.resolve("data/fixtures")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Files.copy(made, file("own.crt"));
        assertThat(served("own", null)).isTrue();
        server.close();
        server = new TestServer(flags);
        assertThat(Files.readString(made)).isEqualTo(first);
        assertThat(served("own", null)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cert-file=DIR/none.crt|cannot read DIR/none.crt",
                "--key-file=DIR/client.key|private key does not match the certificate",
                "--key-file=DIR/server.crt|no unencrypted private key found",
                "--trusted-ca-file=DIR/server.key|no certificate found",
                "--cert-file=DIR/late.crt|certificate expired at"
            })
    void anInvalidFileFailsTheStart(String flag, String message) {
        authority.issue(directory, "late", Duration.ofHours(-1));
        assertThatThrownBy(() -> start(flag.replace("DIR", directory.toString())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message.replace("DIR", directory.toString()));
    }

    @Test
    void anInvalidCrlFailsTheStart() throws Exception {
        Files.writeString(file("crl"), "nothing");
        assertThatThrownBy(() -> start(mutual(), "--client-crl-file=" + file("crl")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file("crl").toString());
    }

    private String mutual() {
        return "--trusted-ca-file=" + file("ca.crt");
    }

    private void start(String... more) throws IOException {
        server = TestServer.secure(directory, more);
    }

    private boolean served(String trusted, String certificate) throws IOException {
        return clients.isServed(server.address(), trusted, certificate);
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
