package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.server.config.CommandLineReader.Request;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigFileTest {
    @TempDir private Path directory;

    @Test
    void everyKeyOfEtcdIsRead() throws IOException {
        BrainConfig config =
                read("""
                name: m1
                data-dir: /var/lib/x
                listen-client-urls: http://127.0.0.1:1,http://127.0.0.1:2
                advertise-client-urls: http://a:1
                quota-backend-bytes: 8589934592
                watch-progress-notify-interval: 600000000000
                grpc-keepalive-min-time: 7s
                auto-compaction-retention: "1"
                feature-gates: LeaseCheckpoint=true
                log-outputs: [stderr]
                log-level: warn
                """)
                        .config();
        assertThat(config.name()).isEqualTo("m1");
        assertThat(config.dataDir()).isEqualTo(Path.of("/var/lib/x"));
        assertThat(config.urls().clients()).hasSize(2);
        assertThat(config.limits().quotaBytes()).isEqualTo(8L << 30);
        assertThat(config.limits().watches().progressInterval()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.limits().keepAlive().minTime()).isEqualTo(Duration.ofSeconds(7));
        assertThat(config.upkeep().history().period()).isEqualTo(Duration.ofHours(1));
        assertThat(config.upkeep().leaseCheckpoints()).isTrue();
        assertThat(config.log().level()).isEqualTo(BrainConfig.Log.Level.WARN);
    }

    @Test
    void certificatesAreInSections() throws IOException {
        BrainConfig config =
                read("""
                storage: tikv
                initial-advertise-peer-urls: http://a:2380
                client-transport-security:
                  cert-file: /c
                  key-file: /k
                  client-cert-auth: yes
                  allowed-cn: [a, b]
                peer-transport-security:
                  auto-tls: on
                  allowed-hostname:
                cipher-suites: [
                  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
                  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
                ]
                """)
                        .config();
        BrainConfig.Tls tls = config.urls().tls();
        assertThat(tls.server().certificates()).isEqualTo(Path.of("/c"));
        assertThat(tls.callers().certificates()).isTrue();
        assertThat(tls.callers().names()).containsExactly("a", "b");
        assertThat(tls.protocols().cipherSuites()).hasSize(2);
        assertThat(config.cluster().tls().selfSigned()).isNotNull();
    }

    @Test
    void upperAndLowerCaseOfKeysAreEqual() throws IOException {
        BrainConfig config =
                read("""
                Name: m1
                Client-Transport-Security:
                  Cert-File: /c
                  KEY-FILE: /k
                """)
                        .config();
        assertThat(config.name()).isEqualTo("m1");
        assertThat(config.urls().tls().server().certificates()).isEqualTo(Path.of("/c"));
    }

    @Test
    void sizesTakeUnitsEverywhere() throws IOException {
        assertThat(read("quota-backend-bytes: 8GiB").config().limits().quotaBytes())
                .isEqualTo(8L << 30);
        assertThat(
                        CommandLineReader.read(List.of("--max-request-bytes=2MiB"), Map.of())
                                .config()
                                .limits()
                                .requestBytesMax())
                .isEqualTo(2 << 20);
    }

    @Test
    void brainFlagsMayBeInTheFileOrOverrideIt() throws IOException {
        BrainConfig inside =
                read("""
                storage: memory
                storage-option: {a: b, c: 4}
                """)
                        .config();
        assertThat(inside.storage().engine()).isEqualTo("memory");
        assertThat(inside.storage().options())
                .containsOnly(Map.entry("a", "b"), Map.entry("c", "4"));
        BrainConfig outside = read("storage: memory", "--storage=other").config();
        assertThat(outside.storage().engine()).isEqualTo("other");
    }

    @Test
    void otherFlagsAndVariablesAreIgnoredWithANote() throws IOException {
        Request request =
                CommandLineReader.read(
                        List.of("--config-file=" + file("data-dir: d"), "--name=flag"),
                        Map.of("ETCD_LOG_LEVEL", "loud"));
        assertThat(request.config().name()).isEqualTo("default");
        assertThat(request.notes())
                .containsExactly(
                        "settings are read from "
                                + directory.resolve("c.yaml")
                                + "; ignored: environment variable ETCD_LOG_LEVEL, flag -name");
    }

    @Test
    void theFileMayBeNamedInTheEnvironment() throws IOException {
        Request request =
                CommandLineReader.read(
                        List.of(), Map.of("ETCD_CONFIG_FILE", file("name: m7").toString()));
        assertThat(request.config().name()).isEqualTo("m7");
    }

    @Test
    void theAdvertisedUrlHasEtcdsDefault() throws IOException {
        BrainConfig config = read("listen-client-urls: http://127.0.0.1:1").config();
        assertThat(config.urls().advertisedClients())
                .containsExactly(URI.create("http://localhost:2379"));
    }

    @Test
    void keysWithoutEffectAreNamedInOneNote() throws IOException {
        Request request =
                read(
                        """
                        data-dir: d
                        initial-cluster: a=http://h:1
                        snapshot-count: 10000
                        proxy: 'off'
                        enable-v2: false
                        discovery:
                        """);
        assertThat(request.notes())
                .containsExactly(
                        "accepted without effect: --initial-cluster, --snapshot-count, proxy,"
                                + " enable-v2, discovery");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nmae: x|unknown key nmae; did you mean name?",
                "cert-file: x|unknown key cert-file: it must be under"
                        + " client-transport-security.cert-file:",
                "client-transport-security: {cert-fiel: x}|unknown key"
                        + " client-transport-security.cert-fiel; did you mean cert-file?",
                "client-transport-security: x|client-transport-security: expected keys with values",
                "name: {a: b}|name: expected a value",
                "name: [a|not YAML: expected ',' or ']', but got <stream end> in line 1",
                "just words|expected keys with values",
                "discovery-config: {token: x}|discovery-config is not supported by this version"
            })
    void anInvalidFileIsRefused(String text, String message) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> read(file))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage("--config-file " + file + ": " + message);
    }

    @Test
    void anErrorNamesTheKeyAndTheFile() throws IOException {
        Path file = file("snapshot-count: abc");
        assertThatThrownBy(() -> read(file))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage(
                        "invalid value \"abc\" for snapshot-count in " + file + ": parse error");
    }

    @Test
    void aMissingFileIsRefused() {
        Path missing = directory.resolve("none");
        assertThatThrownBy(() -> read(missing))
                .hasMessage("--config-file " + missing + ": no such file");
    }

    @Test
    void withAFileTheCommandLineIsStillChecked() throws IOException {
        Path file = file("name: m");
        assertThatThrownBy(() -> read(file, "--snapshot-count=abc"))
                .hasMessage("invalid value \"abc\" for flag -snapshot-count: parse error");
    }

    @Test
    void printedSettingsHaveTheirSources() {
        Request request =
                CommandLineReader.read(
                        List.of("--config-print", "--name=m1", "--snapshot-count=5"),
                        Map.of("ETCD_LOG_LEVEL", "warn", "BRAIN_STORAGE_OPTION", "a=b"));
        assertThat(request.config()).isNull();
        assertThat(request.text())
                .contains("name: \"m1\"  # flag --name\n")
                .contains("data-dir: \"m1.etcd\"  # default\n")
                .contains("log-level: \"warn\"  # environment variable ETCD_LOG_LEVEL\n")
                .contains("snapshot-count: 5  # flag --snapshot-count, without effect\n")
                .contains("storage-option: {\"a\": \"b\"}  # environment variable");
    }

    @Test
    void printedSettingsAreAnEquivalentFile() throws IOException {
        List<String> args =
                List.of("--name=m \"1\"", "--quota-backend-bytes=1GiB", "--storage-option=a=b");
        List<String> printing = new java.util.ArrayList<>(args);
        printing.add("--config-print");
        String printed = CommandLineReader.read(printing, Map.of()).text();
        assertThat(read(printed).config())
                .isEqualTo(CommandLineReader.read(args, Map.of()).config());
        String again = read(printed, "--config-print").text();
        assertThat(again).contains("quota-backend-bytes: 1GiB  # file " + directory);
    }

    private Request read(String text, String... flags) throws IOException {
        return read(file(text), flags);
    }

    private static Request read(Path file, String... flags) {
        List<String> args = new java.util.ArrayList<>(List.of(flags));
        args.add("--config-file=" + file);
        return CommandLineReader.read(args, Map.of());
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("c.yaml"), text);
    }
}
