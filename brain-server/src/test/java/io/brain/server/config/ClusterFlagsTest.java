package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.options.GoDuration;
import io.brain.server.config.BrainConfig.Cluster;
import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.Tls;
import io.brain.server.config.CommandLineReader.Request;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterFlagsTest {
    private static final String ADVERTISED = "--initial-advertise-peer-urls=http://a:2380";

    @Test
    void theDefaultPeerUrlIsRefusedForASharedStorage() {
        assertThatThrownBy(() -> read("--storage=tikv"))
                .hasMessage(
                        "--initial-advertise-peer-urls is required with --storage tikv: the URLs"
                                + " identify the server, and others reach it there; the default is"
                                + " the same on every host");
        assertThat(read("--storage=rocksdb").notes()).isEmpty();
    }

    @Test
    void anExplicitLoopbackPeerUrlIsNoted() {
        assertThat(
                        read("--storage=tikv", "--initial-advertise-peer-urls=http://127.0.0.1:1")
                                .warnings())
                .singleElement()
                .asString()
                .startsWith("--initial-advertise-peer-urls names loopback addresses only");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://127.0.0.1:1||",
                "http://0.0.0.0:1||serves peers in plaintext",
                "http://10.0.0.1:1||serves peers in plaintext",
                "https://[::1]:1||",
                "https://0.0.0.0:1||serves peers without client certificates",
                "https://0.0.0.0:1|--peer-client-cert-auth|",
                "https://0.0.0.0:1|--peer-trusted-ca-file=ca|"
            })
    void unauthenticatedPeersAreNoted(String url, String flag, String note) {
        List<String> flags =
                new ArrayList<>(
                        List.of(
                                "--storage=tikv",
                                ADVERTISED,
                                "--peer-cert-file=c",
                                "--peer-key-file=k",
                                "--listen-peer-urls=" + url));
        if (flag != null) {
            flags.add(flag);
        }
        List<String> warnings = read(flags.toArray(String[]::new)).warnings();
        if (note == null) {
            assertThat(warnings).isEmpty();
        } else {
            assertThat(warnings).singleElement().asString().contains(note);
        }
    }

    @Test
    void anUnsharedStorageHasNoPeerListener() {
        Request request =
                read(
                        "--listen-peer-urls=https://127.0.0.1:1",
                        "--peer-cert-file=c",
                        "--keyspace=k");
        assertThat(request.config().cluster())
                .isEqualTo(
                        new Cluster(
                                "k",
                                Duration.ofSeconds(3),
                                false,
                                true,
                                List.of(),
                                false,
                                Tls.NONE));
        assertThat(request.notes())
                .containsExactly(
                        "accepted without effect: --listen-peer-urls, --peer-cert-file,"
                                + " --keyspace");
    }

    @Test
    void aSharedStorageServesPeersOnEtcdsPort() {
        Request request = read("--storage=tikv", ADVERTISED);
        assertThat(request.config().cluster())
                .isEqualTo(
                        new Cluster(
                                "",
                                Duration.ofSeconds(3),
                                false,
                                true,
                                List.of(new InetSocketAddress("localhost", 2380)),
                                false,
                                Tls.NONE));
        assertThat(request.notes()).isEmpty();
    }

    @Test
    void theClientCertificateDefaultsToTheServers() {
        Identity identity = new Identity(Path.of("c"), Path.of("k"));
        Tls tls = tikv("--peer-cert-file=c", "--peer-key-file=k").tls();
        assertThat(tls).isEqualTo(tls(identity, identity));
        Identity own = new Identity(Path.of("cc"), Path.of("ck"));
        Tls both =
                tikv(
                                "--peer-cert-file=c",
                                "--peer-key-file=k",
                                "--peer-client-cert-file=cc",
                                "--peer-client-key-file=ck")
                        .tls();
        assertThat(both).isEqualTo(tls(identity, own));
    }

    private static Tls tls(Identity server, Identity client) {
        Tls none = Tls.NONE;
        return new Tls(server, client, null, none.callers(), none.protocols(), null);
    }

    @Test
    void peerCertificatesMayBeSelfSigned() {
        Cluster cluster =
                tikv(
                        "--peer-auto-tls",
                        "--self-signed-cert-validity=3",
                        "--listen-peer-urls=https://127.0.0.1:1,https://[::1]:2");
        assertThat(cluster.peersOverTls()).isTrue();
        assertThat(cluster.tls().selfSigned())
                .isEqualTo(new BrainConfig.SelfSigned(List.of("127.0.0.1", "::1"), 3));
        assertThat(cluster.tls().server().key()).isEqualTo(Path.of("d/fixtures/peer/key.pem"));
    }

    @Test
    void peerChecksAreReadLikeClientChecks() {
        Tls tls =
                tikv(
                                "--peer-trusted-ca-file=ca",
                                "--peer-crl-file=crl",
                                "--peer-cert-allowed-hostname=a,b")
                        .tls();
        assertThat(tls.callers())
                .isEqualTo(
                        new BrainConfig.Callers(
                                true, Path.of("crl"), List.of(), List.of("a", "b")));
    }

    @Test
    void pdEndpointsAreAStorageOption() {
        assertThat(
                        read("--storage=tikv", "--pd-endpoints=a:1,b:2", ADVERTISED)
                                .config()
                                .storage()
                                .options())
                .isEqualTo(Map.of("pd-endpoints", "a:1,b:2"));
        assertThatThrownBy(() -> read("--pd-endpoints=a:1"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--pd-endpoints requires --storage tikv");
        assertThatThrownBy(
                        () ->
                                read(
                                        "--storage=tikv",
                                        "--pd-endpoints=a:1",
                                        "--storage-option=pd-endpoints=b:1"))
                .hasMessage("--pd-endpoints and --storage-option pd-endpoints differ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--keyspace=a/b|--keyspace must be at most 64 letters, digits, '_', '.' or '-'",
                "--keyspace=é|--keyspace must be at most 64 letters, digits, '_', '.' or '-'",
                "--leader-lease=499ms|--leader-lease must be from 500ms to 60s",
                "--leader-lease=61s|--leader-lease must be from 500ms to 60s",
                "--listen-peer-urls=http://host:1|expected IP in URL for binding (http://host:1)",
                "--listen-peer-urls=unix://s|--listen-peer-urls unix://s: must be http or https",
                "--listen-peer-urls=https://127.0.0.1:1|--listen-peer-urls https://127.0.0.1:1"
                        + " requires --peer-cert-file and --peer-key-file",
                "--listen-peer-urls=http://127.0.0.1:1,https://127.0.0.1:2"
                        + "|--listen-peer-urls must be all http or all https",
                "--peer-key-file=k|--peer-cert-file and --peer-key-file must be given together",
                "--peer-client-cert-file=c|--peer-client-cert-file and --peer-client-key-file must"
                        + " be given together",
                "--tls-min-version=TLS1.1|unexpected TLS version \"TLS1.1\" (must be one of:"
                        + " TLS1.2, TLS1.3) for --tls-min-version",
                "--cipher-suites=a|unexpected TLS cipher suite \"a\""
            })
    void invalidClusterFlagsAreRefused(String flag, String message) {
        assertThatThrownBy(() -> tikv(flag))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage(message);
    }

    @Test
    void aKeyspaceHasAtMost64Characters() {
        assertThat(tikv("--keyspace=" + "x".repeat(64)).keyspace()).hasSize(64);
        assertThatThrownBy(() -> tikv("--keyspace=" + "x".repeat(65)))
                .isInstanceOf(ConfigException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"500ms", "60s"})
    void theLeaderLeaseHasBounds(String text) {
        assertThat(tikv("--leader-lease=" + text).leaderLease()).isEqualTo(GoDuration.parse(text));
    }

    private static Cluster tikv(String... flags) {
        List<String> args = new ArrayList<>(List.of("--storage=tikv", ADVERTISED));
        args.addAll(List.of(flags));
        return read(args.toArray(String[]::new)).config().cluster();
    }

    private static Request read(String... flags) {
        List<String> args = new ArrayList<>(List.of("--data-dir=d"));
        args.addAll(List.of(flags));
        return CommandLineReader.read(args, Map.of());
    }
}
