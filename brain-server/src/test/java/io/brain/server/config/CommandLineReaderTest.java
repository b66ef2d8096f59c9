package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.options.Option.Kind;
import io.brain.server.config.BrainConfig.Access;
import io.brain.server.config.BrainConfig.Auth;
import io.brain.server.config.BrainConfig.Callers;
import io.brain.server.config.BrainConfig.Calls;
import io.brain.server.config.BrainConfig.Cluster;
import io.brain.server.config.BrainConfig.Endpoint;
import io.brain.server.config.BrainConfig.Http;
import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.KeepAlive;
import io.brain.server.config.BrainConfig.Limits;
import io.brain.server.config.BrainConfig.Log;
import io.brain.server.config.BrainConfig.Protocols;
import io.brain.server.config.BrainConfig.Retention;
import io.brain.server.config.BrainConfig.Storage;
import io.brain.server.config.BrainConfig.Tls;
import io.brain.server.config.BrainConfig.Upkeep;
import io.brain.server.config.BrainConfig.Urls;
import io.brain.server.config.BrainConfig.Watches;
import io.brain.server.config.CommandLineReader.Request;
import io.brain.server.config.Flag.Effect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineReaderTest {
    /** Every flag that has an effect, with a value that is not its default. */
    private static final Map<String, String> ALL =
            Map.ofEntries(
                    Map.entry("name", "n1"),
                    Map.entry("data-dir", "/some/where"),
                    Map.entry(
                            "listen-client-urls",
                            "http://127.0.0.1:1,https://[::1]:2,unix:///s,unixs://h:1"),
                    Map.entry("listen-client-http-urls", "http://127.0.0.1:7"),
                    Map.entry("enable-grpc-gateway", "false"),
                    Map.entry("enable-pprof", "true"),
                    Map.entry("cors", "http://web:80,https://web:443"),
                    Map.entry("cert-file", "/sc"),
                    Map.entry("key-file", "/sk"),
                    Map.entry("trusted-ca-file", "/sca"),
                    Map.entry("client-cert-auth", "true"),
                    Map.entry("client-crl-file", "/scrl"),
                    Map.entry("client-cert-allowed-cn", "one,two"),
                    Map.entry("client-cert-allowed-hostname", ""),
                    Map.entry("auto-tls", "false"),
                    Map.entry("self-signed-cert-validity", "2"),
                    Map.entry("cipher-suites", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"),
                    Map.entry("tls-min-version", "TLS1.2"),
                    Map.entry("tls-max-version", "TLS1.2"),
                    Map.entry("peer-crl-file", "/pcrl"),
                    Map.entry("peer-cert-allowed-cn", ""),
                    Map.entry("peer-cert-allowed-hostname", "h"),
                    Map.entry("peer-auto-tls", "false"),
                    Map.entry("advertise-client-urls", "http://a:1,http://b:2"),
                    Map.entry("listen-metrics-urls", "http://0.0.0.0:3"),
                    Map.entry("initial-advertise-peer-urls", "http://p:4"),
                    Map.entry("auth-token", "jwt,sign-method=HS256,priv-key=/hs"),
                    Map.entry("auth-token-ttl", "60"),
                    Map.entry("bcrypt-cost", "12"),
                    Map.entry("quota-backend-bytes", "5000000000"),
                    Map.entry("max-txn-ops", "7"),
                    Map.entry("max-request-bytes", "8"),
                    Map.entry("max-concurrent-streams", "9"),
                    Map.entry("grpc-keepalive-min-time", "1s"),
                    Map.entry("grpc-keepalive-interval", "2s"),
                    Map.entry("grpc-keepalive-timeout", "3s"),
                    Map.entry("watch-progress-notify-interval", "4s"),
                    Map.entry("watch-progress-before-compaction", "false"),
                    Map.entry("watch-resume-below-compaction", "5000"),
                    Map.entry("ttl-rules", "rules"),
                    Map.entry("warm-up", "false"),
                    Map.entry("auto-compaction-mode", "revision"),
                    Map.entry("auto-compaction-retention", "1000"),
                    Map.entry("feature-gates", "LeaseCheckpoint=true"),
                    Map.entry("log-level", "warn"),
                    Map.entry("log-format", "console"),
                    Map.entry("log-outputs", "stdout"),
                    Map.entry("warning-apply-duration", "150ms"),
                    Map.entry("warning-unary-request-duration", "6s"),
                    Map.entry("storage", "tikv"),
                    Map.entry("storage-option", "a=b=c"),
                    Map.entry("pd-endpoints", "pd:1,pd:2"),
                    Map.entry("keyspace", "east_1.a-b"),
                    Map.entry("leader-lease", "5s"),
                    Map.entry("strict-reads", "true"),
                    Map.entry("strict-reconfig-check", "false"),
                    Map.entry("brain-ui-keys", "true"),
                    Map.entry("brain-access-log", "/access"),
                    Map.entry("brain-access-log-size", "1MiB"),
                    Map.entry("enable-distributed-tracing", "true"),
                    Map.entry("listen-peer-urls", "https://127.0.0.1:5,https://[::1]:6"),
                    Map.entry("peer-cert-file", "/c"),
                    Map.entry("peer-key-file", "/k"),
                    Map.entry("peer-client-cert-file", "/cc"),
                    Map.entry("peer-client-key-file", "/ck"),
                    Map.entry("peer-trusted-ca-file", "/ca"),
                    Map.entry("peer-client-cert-auth", "true"));

    /**
     * Flags that say where the others are, or what is done with them, see ConfigFileTest; and those
     * that another storage needs, see StandbyFlagsTest and PlacedStoreFlagTest.
     */
    private static final Set<String> ABOUT_OTHERS =
            Set.of(
                    "config-file",
                    "config-print",
                    "placed-store",
                    "standby-of",
                    "standby-cacert",
                    "standby-cert",
                    "standby-key",
                    "standby-user",
                    "standby-password-file");

    private static final Protocols PROTOCOLS =
            new Protocols(
                    List.of("TLS1.2"), List.of("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"));

    private static BrainConfig all() throws Exception {
        return new BrainConfig(
                "n1",
                new Urls(
                        List.of(
                                new Endpoint(address("127.0.0.1", 1), false),
                                new Endpoint(address("::1", 2), true),
                                new Endpoint(UnixDomainSocketAddress.of("/s"), false),
                                new Endpoint(UnixDomainSocketAddress.of("h:1"), true)),
                        List.of(new Endpoint(address("127.0.0.1", 7), false)),
                        List.of(new Endpoint(address("0.0.0.0", 3), false)),
                        List.of(URI.create("http://a:1"), URI.create("http://b:2")),
                        List.of(URI.create("http://p:4")),
                        new Tls(
                                new Identity(Path.of("/sc"), Path.of("/sk")),
                                new Identity(Path.of("/sc"), Path.of("/sk")),
                                Path.of("/sca"),
                                new Callers(
                                        true, Path.of("/scrl"), List.of("one", "two"), List.of()),
                                PROTOCOLS,
                                null),
                        true,
                        new Http(false, List.of("http://web:80", "https://web:443"), true)),
                new Auth("jwt,sign-method=HS256,priv-key=/hs", Duration.ofSeconds(60), 12, true),
                new Limits(
                        5_000_000_000L,
                        8,
                        7,
                        9,
                        new Watches(Duration.ofSeconds(4), false, 5000),
                        new KeepAlive(
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3))),
                new Upkeep(new Retention(Duration.ZERO, 1000), true, Path.of("rules"), false),
                new Log(
                        Log.Level.WARN,
                        Log.Format.CONSOLE,
                        Log.Output.STDOUT,
                        Duration.ofMillis(150),
                        new Calls(
                                Duration.ofSeconds(6),
                                true,
                                new Access(Path.of("/access"), 1 << 20))),
                new Storage(
                        "tikv",
                        Path.of("/some/where"),
                        Map.of("a", "b=c", "pd-endpoints", "pd:1,pd:2")),
                new Cluster(
                        "east_1.a-b",
                        Duration.ofSeconds(5),
                        true,
                        false,
                        List.of(address("127.0.0.1", 5), address("::1", 6)),
                        true,
                        new Tls(
                                new Identity(Path.of("/c"), Path.of("/k")),
                                new Identity(Path.of("/cc"), Path.of("/ck")),
                                Path.of("/ca"),
                                new Callers(true, Path.of("/pcrl"), List.of(), List.of("h")),
                                PROTOCOLS,
                                null)),
                null);
    }

    @Test
    void everyFlagIsMapped() throws Exception {
        List<String> joined = new ArrayList<>();
        List<String> apart = new ArrayList<>();
        List<String> oneDash = new ArrayList<>();
        ALL.forEach(
                (name, value) -> {
                    joined.add("--" + name + "=" + value);
                    boolean bool = Set.of("true", "false").contains(value);
                    apart.addAll(
                            bool
                                    ? List.of("--" + name + "=" + value)
                                    : List.of("--" + name, value));
                    oneDash.add("-" + name + "=" + value);
                });
        assertThat(read(joined).config()).isEqualTo(all());
        assertThat(read(apart).config()).isEqualTo(all());
        assertThat(read(oneDash).config()).isEqualTo(all());
    }

    @Test
    void everyFlagHasAnEnvironmentVariable() throws Exception {
        Map<String, String> environment = new HashMap<>();
        List<String> own =
                List.of(
                        "storage",
                        "storage-option",
                        "pd-endpoints",
                        "keyspace",
                        "leader-lease",
                        "strict-reads",
                        "watch-progress-before-compaction",
                        "watch-resume-below-compaction",
                        "ttl-rules",
                        "warm-up",
                        "brain-ui-keys",
                        "brain-access-log",
                        "brain-access-log-size");
        ALL.forEach(
                (name, value) -> {
                    String prefix = own.contains(name) ? "BRAIN_" : "ETCD_";
                    String words = name.replaceFirst("^brain-", "");
                    String variable = words.replace('-', '_').toUpperCase(java.util.Locale.ROOT);
                    environment.put(prefix + variable, value);
                });
        Request request = CommandLineReader.read(List.of(), environment);
        assertThat(request.config()).isEqualTo(all());
        assertThat(request.notes()).isEmpty();
    }

    @Test
    void everyFlagWithAnEffectIsTestedHere() {
        assertThat(
                        Flags.ALL.stream()
                                .filter(
                                        f ->
                                                f.effect() == Effect.ETCD
                                                        || f.effect() == Effect.BRAIN)
                                .map(Flag::name))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(ALL.keySet().stream(), ABOUT_OTHERS.stream()).toList());
    }

    @Test
    void defaultsAreThoseOfEtcd() {
        BrainConfig config = read(List.of()).config();
        assertThat(config.name()).isEqualTo("default");
        assertThat(config.dataDir()).isEqualTo(Path.of("default.etcd"));
        assertThat(config.urls().clients())
                .containsExactly(new Endpoint(new InetSocketAddress("localhost", 2379), false));
        assertThat(config.urls().advertisedClients())
                .containsExactly(URI.create("http://localhost:2379"));
        assertThat(config.limits())
                .isEqualTo(
                        new Limits(
                                0,
                                1_572_864,
                                128,
                                Integer.MAX_VALUE,
                                new Watches(Duration.ofMinutes(10), true, 0),
                                new KeepAlive(
                                        Duration.ofSeconds(5),
                                        Duration.ofHours(2),
                                        Duration.ofSeconds(20))));
        assertThat(config.limits().messageBytesMax()).isEqualTo(2_097_152);
        assertThat(config.log())
                .isEqualTo(
                        new Log(
                                Log.Level.INFO,
                                Log.Format.JSON,
                                Log.Output.STDERR,
                                Duration.ofMillis(100),
                                new Calls(Duration.ofMillis(300), false, null)));
        assertThat(config.upkeep()).isEqualTo(new Upkeep(Retention.ALL, false, null, true));
        assertThat(config.storage())
                .isEqualTo(new Storage("rocksdb", Path.of("default.etcd"), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"3,10", "4,4", "31,31", "32,10", "99999999999,10"})
    void anInvalidCostIsReplacedByTheDefaultAsInEtcd(String given, int used) {
        Request request = read(List.of("--data-dir=d", "--bcrypt-cost=" + given));
        assertThat(request.config().auth())
                .isEqualTo(new Auth("simple", Duration.ofMinutes(5), used, false));
        assertThat(request.notes())
                .isEqualTo(
                        given.equals(Integer.toString(used))
                                ? List.of()
                                : List.of(
                                        "use default bcrypt cost 10 instead of the invalid "
                                                + given));
    }

    @Test
    void aTokenWithoutTtlHasTheDefaultAsInEtcd() {
        assertThat(read(List.of("--auth-token-ttl=0")).config().auth().tokenTtl())
                .isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void onlyClientCertAuthMakesACommonNameAUser() {
        assertThat(read(List.of("--trusted-ca-file=/ca")).config().auth().commonNames()).isFalse();
        assertThat(read(List.of("--client-cert-auth")).config().auth().commonNames()).isTrue();
    }

    @Test
    void aNegativeQuotaMeansNoLimitAsInEtcd() {
        assertThat(read(List.of("--quota-backend-bytes=-1")).config().limits().quotaBytes())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--brain-access-log=a%b|must not contain '%'",
                "--brain-access-log-size=1KiB|must be at least 64KiB",
                "--enable-distributed-tracing --distributed-tracing-sampling-rate=-1|distributed"
                        + " tracing configurition is not valid: (tracing sampling rate must be"
                        + " positive)",
                "--enable-distributed-tracing --distributed-tracing-sampling-rate=1000001|must be"
                        + " less than 1000000"
            })
    void anInvalidAccessLogIsRefused(String flags, String message) {
        assertThatThrownBy(() -> read(List.of(flags.split(" "))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theAccessLogMayGoToStandardOutput() {
        assertThat(read(List.of("--brain-access-log=-")).config().log().calls().access())
                .isEqualTo(new Access(null, 64 << 20));
    }

    @Test
    void theDataDirectoryIsNamedAfterTheMember() {
        Request request = read(List.of("--name", "m7"));
        assertThat(request.config().dataDir()).isEqualTo(Path.of("m7.etcd"));
        assertThat(request.notes()).containsExactly("'data-dir' was empty; using m7.etcd");
    }

    @Test
    void aFlagOverridesItsVariableWithANote() {
        Request request =
                CommandLineReader.read(
                        List.of("--name=flag", "--data-dir=d"), Map.of("ETCD_NAME", "variable"));
        assertThat(request.config().name()).isEqualTo("flag");
        assertThat(request.notes())
                .containsExactly("environment variable ETCD_NAME is overridden by its flag");
    }

    @Test
    void theLastValueOfAFlagCountsButPairsAccumulate() {
        BrainConfig config =
                read(List.of(
                                "--name=a",
                                "--name=b",
                                "--storage-option=x=1",
                                "--storage-option=y=2"))
                        .config();
        assertThat(config.name()).isEqualTo("b");
        assertThat(config.storage().options())
                .containsOnly(Map.entry("x", "1"), Map.entry("y", "2"));
    }

    @Test
    void unknownVariablesWithOurPrefixesAreNoted() {
        Request request =
                CommandLineReader.read(
                        List.of("--data-dir=d"),
                        Map.of("ETCD_NAM", "x", "BRAIN_JAVA_OPTS", "-Xmx2g", "ETCDCTL_API", "3"));
        assertThat(request.notes())
                .containsExactly(
                        "unrecognized environment variable ETCD_NAM; did you mean ETCD_NAME?");
    }

    @Test
    void raftFlagsAreAcceptedWithANote() {
        List<String> args = new ArrayList<>(List.of("--data-dir=d"));
        List<String> names = new ArrayList<>();
        for (Flag flag : Flags.ALL) {
            if (flag.effect() == Effect.NONE) {
                args.add(flag.option().flag() + "=" + sample(flag.option().kind()));
                names.add(flag.option().flag());
            }
        }
        assertThat(names)
                .contains(
                        "--initial-cluster",
                        "--initial-cluster-state",
                        "--initial-cluster-token",
                        "--snapshot-count");
        assertThat(read(args).notes())
                .containsExactly("accepted without effect: " + String.join(", ", names));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--discovery-token=x", "--force-new-cluster", "--host-whitelist=h"})
    void unsupportedFlagsAreRefused(String flag) {
        assertThatThrownBy(() -> read(List.of(flag)))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage(flag.replaceFirst("=.*", "") + " is not supported by this version");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cert-file=",
                "--client-cert-auth=false",
                "--auto-compaction-retention=0",
                "--host-whitelist=*"
            })
    void unsupportedFlagsAreAcceptedWithTheirDefaults(String flag) {
        assertThat(read(List.of(flag)).config()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--data-dri=d|flag provided but not defined: -data-dri; did you mean --data-dir?",
                "--experimental-watch-progress-notify-interval=5s|flag provided but not defined:"
                        + " -experimental-watch-progress-notify-interval; did you mean"
                        + " --watch-progress-notify-interval?",
                "--nope|flag provided but not defined: -nope",
                "--nope=1|flag provided but not defined: -nope",
                "-nope|flag provided but not defined: -nope",
                "--name|flag needs an argument: -name",
                "--quota-backend-bytes=abc"
                        + "|invalid value \"abc\" for flag -quota-backend-bytes: want bytes,"
                        + " or a whole number with KiB, MiB, GiB or TiB",
                "--max-txn-ops=-1|invalid value \"-1\" for flag -max-txn-ops: must not be negative",
                "--max-request-bytes=9999999999|invalid value \"9999999999\" for flag"
                        + " -max-request-bytes: must not be above 1073741824",
                "--watch-progress-notify-interval=10|invalid value \"10\" for flag"
                        + " -watch-progress-notify-interval: parse error",
                "--pre-vote=maybe|invalid boolean value \"maybe\" for -pre-vote: parse error",
                "--snapshot-count=x|invalid value \"x\" for flag -snapshot-count: parse error",
                "--listen-client-urls=127.0.0.1:1|invalid value \"127.0.0.1:1\" for flag"
                        + " -listen-client-urls: not a URL: 127.0.0.1:1",
                "--listen-peer-urls=ftp://h:1|invalid value \"ftp://h:1\" for flag"
                        + " -listen-peer-urls: URL scheme must be http, https, unix, or unixs:"
                        + " ftp://h:1",
                "--advertise-client-urls=http://h|invalid value \"http://h\" for flag"
                        + " -advertise-client-urls: URL address does not have the form"
                        + " \"host:port\": http://h",
                "--storage-option=x|invalid value \"x\" for flag -storage-option: want key=value"
            })
    void anInvalidCommandLineIsRefusedAsInEtcd(String flag, String message) {
        assertThatThrownBy(() -> read(List.of(flag)))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isTrue())
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "foo|\"foo\" is not a valid flag; see brain --help",
                "backp|\"backp\" is not a valid flag; did you mean brain backup?",
                "--name=a check|\"check\" is not a valid flag; a command comes first: brain"
                        + " check",
                "--client-cert-auth true|\"true\" is not a valid flag; see brain --help",
                "--listen-client-urls=http://127.0.0.1:1|--advertise-client-urls is required when"
                        + " --listen-client-urls is set explicitly",
                "--max-request-bytes=0|--max-request-bytes must be greater than 0",
                "--listen-metrics-urls=http://127.0.0.1:65536"
                        + "|port is above 65535 (http://127.0.0.1:65536)",
                "--listen-metrics-urls=http://nohost:1"
                        + "|expected IP in URL for binding (http://nohost:1)",
                "--listen-metrics-urls=https://127.0.0.1:1|client TLS key/cert (--cert-file,"
                        + " --key-file) must be provided for metrics secure url",
                "--listen-client-http-urls=https://127.0.0.1:1|TLS key/cert (--cert-file,"
                        + " --key-file) must be provided for client url https://127.0.0.1:1 with"
                        + " HTTPS scheme",
                "--cert-file=x|--cert-file and --key-file must be given together",
                "--listen-client-http-urls=http://localhost:2379|cannot bind both"
                        + " --listen-client-urls and --listen-client-http-urls on the same address"
                        + " localhost/127.0.0.1:2379",
                "--tls-max-version=TLS1|unexpected TLS version \"TLS1\" (must be one of: TLS1.2,"
                        + " TLS1.3) for --tls-max-version",
                "--cipher-suites=TLS_RSA_WITH_AES|unexpected TLS cipher suite"
                        + " \"TLS_RSA_WITH_AES\"",
                "--log-level=loud|unrecognized level: \"loud\"",
                "--log-format=xml|unknown log format: xml, supported values json, console",
                "--log-outputs=/var/log/x|--log-outputs must be default, stderr or stdout"
            })
    void anInvalidValueIsRefused(String flag, String message) {
        assertThatThrownBy(() -> read(List.of(flag.split(" "))))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage(message);
    }

    @Test
    void anEmptyListOfUrlsIsTheDefaultAsInEtcd() {
        assertThat(
                        read(List.of(
                                        "--listen-client-urls=",
                                        "--advertise-client-urls=",
                                        "--initial-advertise-peer-urls=",
                                        "--listen-peer-urls=",
                                        "--listen-metrics-urls="))
                                .config()
                                .urls())
                .isEqualTo(read(List.of()).config().urls());
    }

    /** A peer URL may be there twice: the list is hashed to the member's ID. */
    @Test
    void advertisedUrlsAreSortedAsInEtcd() {
        String text = "unix://b,https://z:1,http://z:1,http://a:2,http://a:2";
        Urls urls =
                read(List.of(
                                "--advertise-client-urls=" + text,
                                "--initial-advertise-peer-urls=" + text))
                        .config()
                        .urls();
        List<String> sorted = List.of("http://a:2", "http://z:1", "https://z:1", "unix://b");
        assertThat(urls.advertisedClients()).extracting(URI::toString).isEqualTo(sorted);
        List<String> peers = new ArrayList<>(sorted);
        peers.add(0, "http://a:2");
        assertThat(urls.advertisedPeers()).extracting(URI::toString).isEqualTo(peers);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://127.0.0.1:7,http://0.0.0.0:6|http://localhost:2379|http://HOST:6",
                "https://0.0.0.0:6|http://localhost:2379|http://HOST:6",
                "http://127.0.0.1:7|http://localhost:2379|http://localhost:2379",
                "http://0.0.0.0:6|http://127.0.0.1:2379|http://127.0.0.1:2379",
                "http://0.0.0.0:6|http://localhost:6|http://localhost:6",
                "http://[::]:6|http://localhost:2379|http://localhost:2379"
            })
    void aMemberThatListensEverywhereAdvertisesItsAddressAsInEtcd(
            String listen, String advertise, String expected) {
        String host = ListenUrl.defaultHost() == null ? "localhost" : ListenUrl.defaultHost();
        Request request =
                read(
                        List.of(
                                "--data-dir=d",
                                "--auto-tls",
                                "--listen-client-urls=" + listen,
                                "--advertise-client-urls=" + advertise));
        assertThat(request.config().urls().advertisedClients())
                .containsExactly(URI.create(expected.replace("HOST", host)));
        assertThat(request.notes()).hasSize(expected.contains("HOST") ? 1 : 0);
    }

    @Test
    void peerUrlsOfASharedStorageStay() {
        List<String> flags =
                List.of(
                        "--listen-peer-urls=http://0.0.0.0:5",
                        "--initial-advertise-peer-urls=http://localhost:2380");
        List<String> shared = new ArrayList<>(flags);
        shared.add("--storage=tikv");
        URI given = URI.create("http://localhost:2380");
        assertThat(read(shared).config().urls().advertisedPeers()).containsExactly(given);
        assertThat(read(flags).config().urls().advertisedPeers())
                .containsExactly(
                        ListenUrl.defaultHost() == null
                                ? given
                                : URI.create("http://" + ListenUrl.defaultHost() + ":5"));
    }

    @Test
    void aProgressIntervalOfZeroIsTheDefaultAndAShortOneIsRaised() {
        assertThat(interval("0")).isEqualTo(Duration.ofMinutes(10));
        assertThat(interval("1ms")).isEqualTo(Duration.ofMillis(100));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--tls-min-version=TLS1.3 --tls-max-version=TLS1.2|min version (TLS1.3) is greater"
                        + " than max version (TLS1.2)",
                "--tls-min-version=TLS1.3 --cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA|cipher"
                        + " suites cannot be configured when only TLS1.3 is enabled",
                "--client-cert-allowed-cn=a --client-cert-allowed-hostname=b"
                        + "|--client-cert-allowed-cn and --client-cert-allowed-hostname are"
                        + " mutually exclusive",
                "--auto-tls --client-cert-auth|--client-cert-auth with --auto-tls requires"
                        + " --trusted-ca-file: without it no client certificate is valid",
                "--storage=mysql --initial-advertise-peer-urls=http://a:1 --peer-auto-tls"
                        + " --peer-client-cert-auth|--peer-client-cert-auth with --peer-auto-tls"
                        + " requires --peer-trusted-ca-file: without it no client certificate is"
                        + " valid"
            })
    void conflictingFlagsAreRefused(String flags, String message) {
        assertThatThrownBy(() -> read(List.of(flags.split(" ")))).hasMessage(message);
    }

    @Test
    void certificateChecksWithoutClientCertificatesAreNoted() {
        assertThat(read(List.of("--data-dir=d", "--client-crl-file=f")).warnings())
                .containsExactly(
                        "--client-crl-file has no effect without --trusted-ca-file or"
                                + " --client-cert-auth: client certificates are not requested");
    }

    @Test
    void urlsWithoutTlsAreNotedIfTlsIsSetUp() {
        List<String> urls =
                List.of(
                        "--data-dir=d",
                        "--listen-client-urls=http://10.0.0.1:1,https://10.0.0.1:2,unix://s:1",
                        "--advertise-client-urls=https://a:2",
                        "--listen-client-http-urls=http://127.0.0.1:3",
                        "--listen-metrics-urls=http://10.0.0.1:4,http://127.0.0.1:5,https://10.0.0.1:6",
                        "--cert-file=c",
                        "--key-file=k");
        List<String> checked = new ArrayList<>(urls);
        checked.add("--client-cert-auth");

        assertThat(read(urls).warnings())
                .hasSize(4)
                .allMatch(note -> note.endsWith(" ignoring key and cert files for this URL"));
        assertThat(read(checked).warnings())
                .containsExactly(
                        withoutTls("--listen-client-urls http://10.0.0.1:1"),
                        withoutTls("--listen-client-urls unix://s:1"),
                        withoutTls("--listen-client-http-urls http://127.0.0.1:3"),
                        withoutTls("--listen-metrics-urls http://10.0.0.1:4"));
        assertThat(read(List.of("--data-dir=d", "--trusted-ca-file=ca")).warnings())
                .containsExactly(
                        "--listen-client-urls http://localhost:2379: scheme is http or unix,"
                                + " ignoring client cert auth for this URL");
    }

    @Test
    void hostNamesThatJavaDoesNotAcceptAreAccepted() {
        List<URI> urls =
                List.of(
                        URI.create("http://10.0.0.1.:1"),
                        URI.create("http://etcd_1:2379"),
                        URI.create("http://foo-:1"));
        String text = urls.stream().map(URI::toString).collect(Collectors.joining(","));
        BrainConfig config =
                read(List.of(
                                "--advertise-client-urls=" + text,
                                "--initial-advertise-peer-urls=" + text,
                                "--storage=tikv",
                                "--cors=http://etcd_1:1"))
                        .config();
        assertThat(config.urls().advertisedClients()).isEqualTo(urls);
        assertThat(config.urls().advertisedPeers()).isEqualTo(urls);
        assertThatThrownBy(
                        () ->
                                read(
                                        List.of(
                                                "--listen-client-urls=http://etcd_1:1",
                                                "--advertise-client-urls=http://etcd_1:1")))
                .hasMessage("expected IP in URL for binding (http://etcd_1:1)");
    }

    @Test
    void limitsThatAreNotPositiveMeanTheSameAsInEtcd() {
        Limits defaults = read(List.of()).config().limits();
        KeepAlive pings = defaults.keepAlive();
        Limits unlimited =
                read(List.of("--max-concurrent-streams=0", "--max-txn-ops=0")).config().limits();
        assertThat(unlimited.streamsMax()).isEqualTo(Integer.MAX_VALUE);
        assertThat(unlimited.txnOpsMax()).isZero();
        for (String flag :
                List.of(
                        "--grpc-keepalive-interval=0s --grpc-keepalive-timeout=5s",
                        "--grpc-keepalive-interval=-1s",
                        "--grpc-keepalive-interval=5s --grpc-keepalive-timeout=0s",
                        "--grpc-keepalive-timeout=-1s")) {
            assertThat(read(List.of(flag.split(" "))).config().limits()).isEqualTo(defaults);
        }
        assertThat(read(List.of("--grpc-keepalive-min-time=-1s")).config().limits().keepAlive())
                .isEqualTo(new KeepAlive(Duration.ZERO, pings.interval(), pings.timeout()));
    }

    private static String withoutTls(String url) {
        return url
                + ": scheme is http or unix, ignoring key and cert files and client cert auth for"
                + " this URL";
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version=false", "-version=false", "--help=false", "-h=false"})
    void noTextIsRequestedWithFalse(String flag) {
        Request request = read(List.of(flag, "--name=--help"));
        assertThat(request.text()).isNull();
        assertThat(request.config().name()).isEqualTo("--help");
    }

    @Test
    void aFlagsValueMayLookLikeAFlag() {
        Request request = read(List.of("--name", "--pre-vote", "--trusted-ca-file=c", "-auto-tls"));
        assertThat(request.config().name()).isEqualTo("--pre-vote");
        assertThat(request.config().urls().tls().callers().certificates()).isTrue();
        assertThat(request.config().urls().tls().selfSigned()).isNotNull();
    }

    @Test
    void theVersionStartsWithThatOfTheApi() {
        Request request = read(List.of("--version"));
        assertThat(request.config()).isNull();
        assertThat(request.text())
                .startsWith("etcd Version: 3.7.3\nBrain Version: ")
                .contains("Java Version: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "-help"})
    void theHelpContainsEveryFlag(String flag) {
        String help = read(List.of(flag)).text();
        for (Flag known : Flags.ALL) {
            assertThat(help).contains("  " + known.option().flag());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'',INFO",
        "Debug,DEBUG",
        "WARN,WARN",
        "warning,WARN",
        "Warning,WARN",
        "DPanic,ERROR"
    })
    void levelsAreThoseOfEtcdInAnyCase(String text, Log.Level level) {
        assertThat(read(List.of("--log-level=" + text)).config().log().level()).isEqualTo(level);
    }

    @Test
    void numbersHaveTheFormsOfGo() {
        Limits limits =
                read(List.of("--max-txn-ops=0x80", "--max-request-bytes=2_000_000"))
                        .config()
                        .limits();
        assertThat(limits.txnOpsMax()).isEqualTo(128);
        assertThat(limits.requestBytesMax()).isEqualTo(2_000_000);
    }

    @Test
    void flagsOfOldEtcdsAreAcceptedWithAnyValue() {
        assertThat(read(List.of("--data-dir=d", "--snapshot=x", "-v", "--force")).notes())
                .containsExactly("accepted without effect: --force, --snapshot, --v");
    }

    @Test
    void upperCaseSchemesAreThoseInLowerCase() {
        Urls urls =
                read(List.of(
                                "--listen-client-urls=HTTP://127.0.0.1:1",
                                "--advertise-client-urls=Http://A:1"))
                        .config()
                        .urls();
        assertThat(urls.clients()).extracting(Endpoint::tls).containsExactly(false);
        assertThat(urls.advertisedClients()).containsExactly(URI.create("http://A:1"));
    }

    @Test
    void helpIsPrintedDespiteOtherErrors() {
        assertThat(read(List.of("--help", "--log-level=loud")).text()).contains("Usage:");
    }

    private static Duration interval(String text) {
        return read(List.of("--watch-progress-notify-interval=" + text))
                .config()
                .limits()
                .watches()
                .progressInterval();
    }

    private static String sample(Kind kind) {
        return switch (kind) {
            case NUMBER, SIZE -> "1";
            case BOOLEAN -> "true";
            case DURATION -> "1s";
            case URLS -> "http://127.0.0.1:1";
            case TEXT, PAIRS -> "x";
        };
    }

    private static InetSocketAddress address(String host, int port) throws Exception {
        return new InetSocketAddress(InetAddress.getAllByName(host)[0], port);
    }

    private static Request read(List<String> args) {
        return CommandLineReader.read(args, Map.of());
    }
}
