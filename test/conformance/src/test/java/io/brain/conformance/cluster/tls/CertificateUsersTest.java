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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Users named by client certificates: etcdctl, and curl at the gateway, at etcd and at the server
 * under test, with the same certificates. What they print must be equal.
 */
@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CertificateUsersTest {
    private static final String NAMELESS = "nameless";
    private static final List<String> USERS = List.of("root", "alice", "bob", "stranger", NAMELESS);

    @Test
    void aCertificateNamesItsUser(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        Certificates certificates = new Certificates(directory);
        certificates.authority("ca");
        certificates.issue("server", "ca", 2);
        for (String user : USERS) {
            String subject = user.equals(NAMELESS) ? "/O=nobody" : "/CN=" + user;
            certificates.issue(user, subject, "ca", 2);
        }
        List<String> etcd = run(ServerCommand.etcd(), certificates, directory.resolve("etcd"));
        List<String> actual =
                run(ServerCommand.underTest(), certificates, directory.resolve("server"));
        System.out.printf("summary: certificate users: %d commands%n", actual.size());
        assertThat(actual).hasSameSizeAs(etcd);
        for (int i = 0; i < actual.size(); i++) {
            assertThat(actual.get(i)).isEqualTo(etcd.get(i));
        }
        assertThat(etcd).anyMatch(line -> line.contains("400 text/plain"));
        assertThat(etcd).anyMatch(line -> line.contains("user name is empty"));
        assertThat(etcd).anyMatch(line -> line.contains("permission denied"));
    }

    private static List<String> run(ServerCommand command, Certificates certificates, Path home)
            throws Exception {
        ServerHome address = ServerHome.fresh(home);
        String url = "https://" + address.target();
        List<String> flags =
                List.of(
                        "--listen-client-urls=" + url,
                        "--advertise-client-urls=" + url,
                        "--cert-file=" + certificates.file("server.crt"),
                        "--key-file=" + certificates.file("server.key"),
                        "--trusted-ca-file=" + certificates.file("ca.crt"),
                        "--client-cert-auth",
                        "--bcrypt-cost=4");
        try (ServerProcess server = ServerProcess.start(command.withFlags(flags), address)) {
            assertThat(server.isAlive()).isTrue();
            Calls calls = new Calls(certificates, url);
            setUp(calls);
            calls.gateway("before");
            calls.ctl("root", "auth enable");
            calls.ctl("root", "auth status");
            commands(calls);
            calls.gateway("while it is on");
            calls.ctl("root", "user delete alice");
            calls.ctl("alice", "get a");
            calls.ctl("root", "auth disable");
            calls.ctl("stranger", "get a");
            calls.gateway("after");
            return calls.lines;
        }
    }

    private static void setUp(Calls calls) throws Exception {
        for (String words :
                List.of(
                        "user add root --no-password",
                        "user grant-role root root",
                        "user add alice:secret",
                        "user add bob --no-password",
                        "role add r",
                        "role grant-permission r readwrite a",
                        "user grant-role alice r")) {
            calls.ctl("stranger", words);
        }
    }

    private static void commands(Calls calls) throws Exception {
        for (String user : USERS) {
            for (String words :
                    List.of(
                            "put a of-" + user,
                            "put b of-" + user,
                            "get a",
                            "get a --prefix",
                            "del b",
                            "lease timetolive 7",
                            "lease grant 60",
                            "member list",
                            "alarm list",
                            "move-leader 1",
                            "user get alice",
                            "user list",
                            "role get r",
                            "compaction 1")) {
                calls.ctl(user, words);
            }
            // A token is stronger than a certificate.
            calls.ctl(user, "--user=alice:secret put b of-alice");
            calls.ctl(user, "--user=alice:secret get a");
            calls.ctl(user, "--user=alice:wrong get a");
            calls.ctl(user, "--user=bob:secret get a");
        }
    }

    /** Commands with certificates, and what they print. */
    private static final class Calls {
        private static final int SECONDS_MAX = 60;
        private static final String RANGE = "{\"key\":\"YQ==\"}";
        private static final String ALICE = "{\"name\":\"alice\",\"password\":\"secret\"}";

        private final Certificates certificates;
        private final String url;
        private final List<String> lines = new ArrayList<>();

        Calls(Certificates certificates, String url) {
            this.certificates = certificates;
            this.url = url;
        }

        void ctl(String user, String words) throws IOException, InterruptedException {
            List<String> command = new ArrayList<>();
            command.add(Peer.ETCDCTL.require().toString());
            command.add("--endpoints=" + url);
            command.addAll(List.of("--command-timeout=60s", "--dial-timeout=30s"));
            command.add("--cacert=" + certificates.file("ca.crt"));
            command.add("--cert=" + certificates.file(user + ".crt"));
            command.add("--key=" + certificates.file(user + ".key"));
            command.addAll(List.of(words.split(" ", -1)));
            lines.add(user + ": " + words + " = " + masked(output(command)));
        }

        /** Calls of the gateway, by certificates with a name and without one. */
        void gateway(String when) throws IOException, InterruptedException {
            for (String user : List.of("root", "stranger", NAMELESS)) {
                String name = when + ", " + user;
                curl(name, user, "POST", "/v3/kv/range", RANGE, "");
                curl(name, user, "POST", "/v3beta/kv/range", RANGE, "");
                curl(name, user, "POST", "/v3/nothing", RANGE, "");
                curl(name, user, "GET", "/v3/kv/range", "", "");
                curl(name, user, "OPTIONS", "/v3/kv/range", "", "");
                curl(name, user, "OPTIONS", "/other", "", "");
                curl(name, user, "GET", "/health", "", "");
                curl(name, user, "GET", "/v3", "", "");
                curl(name, user, "GET", "/other", "", "");
                String signedIn = curl(name, user, "POST", "/v3/auth/authenticate", ALICE, "");
                String token = signedIn.replaceAll("(?s).*\"token\":\\s?\"([^\"]*)\".*", "$1");
                curl(name, user, "POST", "/v3/kv/range", RANGE, token.contains(" ") ? "x" : token);
                curl(name, user, "POST", "/v3/kv/range", RANGE, "no-token");
            }
        }

        /** Notes status, headers and body, and returns the body. */
        private String curl(
                String name, String user, String method, String path, String body, String token)
                throws IOException, InterruptedException {
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    Peer.CURL.require().toString(),
                                    "--silent",
                                    "--http1.1",
                                    "--request",
                                    method,
                                    "--cacert",
                                    certificates.file("ca.crt").toString(),
                                    "--cert",
                                    certificates.file(user + ".crt").toString(),
                                    "--key",
                                    certificates.file(user + ".key").toString(),
                                    "--write-out",
                                    " %{http_code} %{content_type}"
                                            + " %header{access-control-allow-origin}"
                                            + " %header{x-content-type-options}"));
            if (!body.isEmpty()) {
                command.addAll(List.of("--data", body));
            }
            if (!token.isEmpty()) {
                command.addAll(List.of("--header", "Authorization: " + token));
            }
            command.add(url + path);
            String output = output(command);
            String how = token.isEmpty() ? "" : " with a token";
            lines.add(name + ": " + method + ' ' + path + how + " = " + masked(output));
            return output;
        }

        private String output(List<String> command) throws IOException, InterruptedException {
            Path file = certificates.file("output");
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(file.toFile())
                            .start();
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("it does not end: " + command);
            }
            return process.exitValue() + " " + Files.readString(file);
        }

        /** Without log lines of etcdctl, IDs, terms, blanks of Go's encoder, and Brain's texts. */
        private static String masked(String output) {
            return output.replaceAll("\\{\"level\":[^\n]*\n", "")
                    .replaceAll("([,:]) ([\"{\\[])", "$1$2")
                    .replaceAll("\"(cluster_id|member_id|raft_term)\":\"\\d+\"", "\"$1\":\"N\"")
                    .replaceAll("\"token\":\"[^\"]+\"", "\"token\":\"T\"")
                    .replaceAll("(,\"message\":\"([^\"]*)\"),\"error\":\"\\2\"", "$1")
                    .replaceAll("\\b[0-9a-f]{12,16}\\b", "ID") // printed without leading zeros
                    .replaceAll("127\\.0\\.0\\.1:\\d+", "ADDRESS")
                    .strip();
        }
    }
}
