package io.brain.conformance.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * etcdctl and curl with the same certificates at etcd and at the server under test: who is let in
 * by one is let in by the other, and what is printed at the end is the same. Why a handshake failed
 * is told in the words of Go's TLS by one and of Java's by the other, so that is not compared.
 */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdctlTlsTest {
    private static final String PAGE_REFUSED = "refused";
    private static final String REFUSED = "1 Error: context deadline exceeded";
    private static final int SECONDS_MAX = 60;
    private static final List<String> EVERYBODY =
            List.of("nobody", "client", "foreign", "late", "revoked");

    /** For who is refused, which takes this long. */
    private static final String SHORT = "4s";

    /** For who is let in: a handshake and a write take their time on a busy machine. */
    private static final String LONG = "20s";

    private Path directory;
    private Certificates certificates;

    @BeforeAll
    void makeCertificates(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path home) throws Exception {
        directory = home;
        certificates = new Certificates(directory);
        certificates.authority("ca");
        certificates.authority("other");
        certificates.issue("server", "ca", 2);
        certificates.issue("client", "ca", 2);
        certificates.issue("revoked", "ca", 2);
        certificates.issue("late", "ca", -1);
        certificates.issue("foreign", "other", 2);
        certificates.revoke("revoked", "ca", "list");
    }

    @Test
    void withACertificateOfTheServerOnlyEveryClientIsServed() throws Exception {
        Map<String, String> seen = compare("server-only", List.of(), EVERYBODY);
        assertThat(seen.get("nobody, trusting ca")).isEqualTo("0 OK");
        assertThat(seen.get("foreign, trusting ca")).isEqualTo("0 OK");
        assertThat(seen.get("nobody, trusting other")).isEqualTo(REFUSED);
        assertThat(seen.get("page")).isEqualTo("0 {\"health\":\"true\",\"reason\":\"\"}");
    }

    @Test
    void withAnAuthorityOnlyItsOwnAreLetIn() throws Exception {
        Map<String, String> seen =
                compare(
                        "mutual",
                        List.of("--client-cert-auth", trusted(), list()),
                        List.of("client"));
        assertThat(seen.get("client, trusting ca")).isEqualTo("0 OK");
        for (String who : List.of("nobody", "foreign", "late", "revoked")) {
            assertThat(seen.get(who + ", trusting ca")).as(who).isEqualTo(REFUSED);
        }
    }

    @Test
    void aCertificateForTheRightHostIsLetIn() throws Exception {
        Map<String, String> seen =
                compare(
                        "right",
                        List.of(trusted(), "--client-cert-allowed-hostname=127.0.0.1"),
                        List.of("client", "revoked"));
        assertThat(seen.get("client, trusting ca")).isEqualTo("0 OK");
    }

    @Test
    void aCertificateForAnotherHostIsNot() throws Exception {
        Map<String, String> seen =
                compare(
                        "wrong",
                        List.of(trusted(), "--client-cert-allowed-hostname=10.0.0.1"),
                        List.of());
        assertThat(seen.get("client, trusting ca")).isEqualTo(REFUSED);
    }

    /** etcd takes names from a file alone; one of Brain's flags is the same. */
    @Test
    void aCertificateMustHaveTheName() throws Exception {
        for (String allowed : List.of("client", "somebody")) {
            Map<String, String> seen = new TreeMap<>();
            for (ServerCommand command : List.of(ServerCommand.etcd(), ServerCommand.underTest())) {
                String kind = command.isEtcd() ? "etcd" : "server";
                seen.put(kind, named(command, allowed, kind));
            }
            System.out.println("summary: TLS  name " + allowed + " for client: " + seen);
            String expected = allowed.equals("client") ? "0 OK" : REFUSED;
            assertThat(seen.values()).as(allowed).containsOnly(expected);
        }
    }

    private String named(ServerCommand command, String allowed, String kind) throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("name-" + allowed + '-' + kind));
        String url = "https://" + home.target();
        String peer = "http://127.0.0.1:" + home.peerPort();
        Path file = home.directory().resolve("config.yaml");
        Files.writeString(
                file,
                """
                name: s1
                data-dir: %s
                listen-client-urls: %s
                advertise-client-urls: %s
                listen-peer-urls: %s
                initial-advertise-peer-urls: %s
                initial-cluster: s1=%s
                client-transport-security:
                  cert-file: %s
                  key-file: %s
                  trusted-ca-file: %s
                  allowed-cn: [%s]
                """
                        .formatted(
                                home.data(),
                                url,
                                url,
                                peer,
                                peer,
                                peer,
                                certificates.file("server.crt"),
                                certificates.file("server.key"),
                                certificates.file("ca.crt"),
                                allowed));
        ServerCommand withFile = command.withFlags(List.of("--config-file=" + file));
        try (ServerProcess server = ServerProcess.start(withFile, home)) {
            assertThat(server.isAlive()).isTrue();
            return put(url, "ca", "client", allowed.equals("client") ? LONG : SHORT);
        }
    }

    /**
     * @param letIn who is waited for longer, as they are let in
     */
    private Map<String, String> compare(String name, List<String> flags, List<String> letIn)
            throws Exception {
        Map<String, String> expected = outcomes(ServerCommand.etcd(), name + "-etcd", flags, letIn);
        Map<String, String> actual =
                outcomes(ServerCommand.underTest(), name + "-server", flags, letIn);
        actual.forEach(
                (who, outcome) ->
                        System.out.printf(
                                "summary: TLS  %s: %s: %s, etcd: %s%n",
                                name, who, outcome, expected.get(who)));
        assertThat(actual).isEqualTo(expected);
        return actual;
    }

    private Map<String, String> outcomes(
            ServerCommand command, String name, List<String> flags, List<String> letIn)
            throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve(name));
        String url = "https://" + home.target();
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--listen-client-urls=" + url,
                                "--advertise-client-urls=" + url,
                                "--cert-file=" + certificates.file("server.crt"),
                                "--key-file=" + certificates.file("server.key")));
        all.addAll(flags);
        Map<String, String> outcomes = new TreeMap<>();
        try (ServerProcess server = ServerProcess.start(command.withFlags(all), home)) {
            assertThat(server.isAlive()).isTrue();
            outcomes.put("page", page(url));
            for (String who : EVERYBODY) {
                String time = letIn.contains(who) ? LONG : SHORT;
                outcomes.put(who + ", trusting ca", put(url, "ca", who, time));
            }
            outcomes.put("nobody, trusting other", put(url, "other", "nobody", SHORT));
        }
        return outcomes;
    }

    /** Exit code and last line. */
    private String put(String url, String authority, String who, String timeout) throws Exception {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                Peer.ETCDCTL.require().toString(),
                                "--endpoints=" + url,
                                "--command-timeout=" + timeout,
                                "--cacert=" + certificates.file(authority + ".crt")));
        if (!who.equals("nobody")) {
            words.add("--cert=" + certificates.file(who + ".crt"));
            words.add("--key=" + certificates.file(who + ".key"));
        }
        words.addAll(List.of("put", "k", "v"));
        return run(words);
    }

    /** curl's exit code depends on whether it was writing or reading when it was refused. */
    private String page(String url) throws Exception {
        String outcome =
                run(
                        List.of(
                                Peer.CURL.require().toString(),
                                "--silent",
                                "--cacert",
                                certificates.file("ca.crt").toString(),
                                "--cert",
                                certificates.file("client.crt").toString(),
                                "--key",
                                certificates.file("client.key").toString(),
                                url + "/health"));
        return outcome.startsWith("0 ") ? outcome : PAGE_REFUSED;
    }

    private String run(List<String> words) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Process process =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("it does not end: " + words);
        }
        List<String> lines = Files.readAllLines(output);
        String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
        return process.exitValue() + " " + last;
    }

    private String trusted() {
        return "--trusted-ca-file=" + certificates.file("ca.crt");
    }

    private String list() {
        return "--client-crl-file=" + certificates.file("list");
    }
}
