package io.brain.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * All clients with all server configurations, printed as a table; {@link ReloadUnderWatchesTest}
 * covers streams during reloads.
 */
@Timeout(120)
class TlsMatrixTest {
    private static final String ACCEPTED = "accepted";
    private static final String REFUSED = "refused";

    @TempDir private Path directory;
    private TestAuthority authority;
    private final List<String> wrong = new ArrayList<>();

    @BeforeEach
    void makeCertificates() throws Exception {
        authority = new TestAuthority("ca");
        TestAuthority other = new TestAuthority("other");
        Files.writeString(file("ca.crt"), authority.certificate());
        Files.writeString(file("other.crt"), other.certificate());
        for (String name : List.of("server", "client", "revoked", "someone")) {
            authority.issue(directory, name);
        }
        authority.issue(directory, "expired", Duration.ofHours(-1));
        other.issue(directory, "foreign");
        Files.write(file("none.crl"), authority.revoked());
        Files.write(file("one.crl"), authority.revoked(file("revoked.crt")));
    }

    @Test
    void everyClientIsAcceptedOrRefusedAsExpected() throws Exception {
        serverOnly();
        mutual();
        revoked();
        named();
        hosted();
        renewed();
        assertThat(wrong).isEmpty();
    }

    private void serverOnly() throws Exception {
        try (TestServer server = start()) {
            row("server-only", "no certificate", ACCEPTED, server, "ca", null);
            row("server-only", "from another CA", ACCEPTED, server, "ca", "foreign");
            row("server-only", "trusts another CA", REFUSED, server, "other", null);
            plain("server-only", server);
        }
    }

    private void mutual() throws Exception {
        try (TestServer server = start(mutualFlag())) {
            row("mutual", "from the CA", ACCEPTED, server, "ca", "client");
            row("mutual", "no certificate", REFUSED, server, "ca", null);
            row("mutual", "from another CA", REFUSED, server, "ca", "foreign");
            row("mutual", "trusts another CA", REFUSED, server, "other", "client");
            row("mutual", "expired", REFUSED, server, "ca", "expired");
            plain("mutual", server);
        }
    }

    private void revoked() throws Exception {
        Files.copy(file("none.crl"), file("list.crl"));
        try (TestServer server = start(mutualFlag(), "--client-crl-file=" + file("list.crl"))) {
            row("empty CRL", "not revoked", ACCEPTED, server, "ca", "revoked");
            Files.write(file("list.crl"), Files.readAllBytes(file("one.crl")));
            awaitCheck();
            row("reloaded CRL", "revoked", REFUSED, server, "ca", "revoked");
            row("reloaded CRL", "not revoked", ACCEPTED, server, "ca", "client");
        }
    }

    private void named() throws Exception {
        try (TestServer server = start(mutualFlag(), "--client-cert-allowed-cn=client")) {
            row("common name 'client'", "has the name", ACCEPTED, server, "ca", "client");
            row("common name 'client'", "has another name", REFUSED, server, "ca", "someone");
        }
    }

    private void hosted() throws Exception {
        try (TestServer server = start(mutualFlag(), "--client-cert-allowed-hostname=127.0.0.1")) {
            row("host name 127.0.0.1", "is valid for it", ACCEPTED, server, "ca", "client");
        }
        try (TestServer server = start(mutualFlag(), "--client-cert-allowed-hostname=10.0.0.1")) {
            row("host name 10.0.0.1", "is valid for 127.0.0.1", REFUSED, server, "ca", "client");
        }
    }

    private void renewed() throws Exception {
        try (TestServer server = start(mutualFlag())) {
            TestAuthority next = new TestAuthority("next");
            Files.writeString(file("next.crt"), next.certificate());
            Files.writeString(file("ca.crt"), next.certificate());
            next.issue(directory, "server");
            next.issue(directory, "renewed");
            awaitCheck();
            row(
                    "certificate and CA replaced",
                    "from the new CA",
                    ACCEPTED,
                    server,
                    "next",
                    "renewed");
            row(
                    "certificate and CA replaced",
                    "from the old CA",
                    REFUSED,
                    server,
                    "next",
                    "client");
        }
    }

    private void row(
            String kind,
            String client,
            String expected,
            TestServer server,
            String ca,
            String certificate)
            throws IOException {
        try (TlsClients clients = new TlsClients(directory)) {
            report(kind, client, expected, clients.isServed(server.address(), ca, certificate));
        }
    }

    private void plain(String kind, TestServer server) {
        report(kind, "plaintext", REFUSED, TlsClients.isServed(server.channel()));
    }

    private void report(String kind, String client, String expected, boolean served) {
        String actual = served ? ACCEPTED : REFUSED;
        String line = String.format("summary: TLS  %-36s %-26s %s", kind, client, actual);
        System.out.println(line);
        if (!actual.equals(expected)) {
            wrong.add(line + ", not " + expected);
        }
    }

    /** Files are checked once per second. */
    private static void awaitCheck() throws InterruptedException {
        Thread.sleep(1100);
    }

    private TestServer start(String... more) throws IOException {
        return TestServer.secure(directory, more);
    }

    private String mutualFlag() {
        return "--trusted-ca-file=" + file("ca.crt");
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
