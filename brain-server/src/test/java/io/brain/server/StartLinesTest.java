package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.config.CommandLineReader;
import io.brain.server.config.CommandLineReader.Request;
import io.brain.server.tls.TestAuthority;
import io.brain.server.tls.TlsClients;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Configurations that start etcd in production start Brain, except for the program name. */
@Timeout(60)
class StartLinesTest {
    @TempDir private Path root;
    private StartLine line;
    private TlsClients clients;
    private Request request;
    private BrainServer server;

    @BeforeEach
    void prepareTheMachine() throws Exception {
        line = new StartLine(root);
        clients = new TlsClients(root);
        TestAuthority authority = new TestAuthority("etcd-ca");
        authority.issue(root, "client");
        Files.writeString(root.resolve("ca.crt"), authority.certificate());
        for (String path : List.of("etc/kubernetes/pki/etcd", "etc/etcd/pki")) {
            Path directory = Files.createDirectories(root.resolve(path));
            Files.copy(root.resolve("ca.crt"), directory.resolve("ca.crt"));
            authority.issue(directory, "server");
            authority.issue(directory, "peer");
        }
        Files.createDirectories(root.resolve("var/lib"));
    }

    @AfterEach
    void stop() {
        clients.close();
        if (server != null) {
            server.close();
        }
    }

    @Test
    void theStaticPodOfKubeadm() throws Exception {
        line.staticPod("kubeadm-static-pod.yaml");
        start();
        requireMutualTls();
        assertThat(page(2381, "/readyz")).isEqualTo("ok\n");
        assertThat(request.config().limits().watches().progressInterval())
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(withoutEffect())
                .contains("--initial-cluster", "--snapshot-count", "--peer-trusted-ca-file")
                .contains("InitialCorruptCheck=true");
    }

    @Test
    void theUnitOfADistribution() throws Exception {
        line.unit("distribution.service", "distribution.env");
        start();
        requireServedInTheClear();
        assertThat(root.resolve("var/lib/etcd/default/FORMAT")).exists();
        assertThat(request.config().upkeep().history().period()).isEqualTo(Duration.ofHours(1));
        assertThat(withoutEffect()).contains("--initial-cluster-token", "--max-wals");
    }

    @Test
    void theEnvironmentOfDockerCompose() throws Exception {
        line.compose("docker-compose.yaml");
        start();
        requireServedInTheClear();
        assertThat(request.config().limits().quotaBytes()).isEqualTo(8L << 30);
        assertThat(request.config().upkeep().history().revisions()).isEqualTo(1000);
    }

    @Test
    void theDatastoreOfK3s() throws Exception {
        line.script("k3s-datastore.sh");
        start();
        requireMutualTls();
        assertThat(page(2381, "/metrics")).contains("etcd_server_has_leader 1");
        assertThat(page(2382, "/health")).contains("\"health\":\"true\"");
    }

    @Test
    void theFileOfAMemberOfThree() throws Exception {
        Path file = root.resolve("etcd.yaml");
        Files.writeString(file, line.text("three-nodes.yaml"));
        line.args.addAll(List.of("--config-file", file.toString()));
        start();
        requireMutualTls();
        assertThat(page(2383, "/livez")).isEqualTo("ok\n");
        assertThat(request.config().limits().watches().progressInterval())
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(withoutEffect()).contains("--wal-dir", "proxy-failure-wait");
    }

    private void start() throws Exception {
        request = CommandLineReader.read(line.args, line.environment);
        server = BrainServer.start(request.config());
    }

    private String withoutEffect() {
        return request.notes().stream()
                .filter(note -> note.startsWith("accepted without effect: "))
                .findFirst()
                .orElseThrow();
    }

    private void requireMutualTls() throws Exception {
        assertThat(clients.isServed(address(), "ca", "client")).isTrue();
        assertThat(clients.isServed(address(), "ca", null)).isFalse();
    }

    private void requireServedInTheClear() {
        ManagedChannel channel = NettyChannelBuilder.forAddress(address()).usePlaintext().build();
        try {
            assertThat(TlsClients.isServed(channel)).isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    private String page(int port, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + line.port(port) + path);
        return Eventually.answer(uri).body();
    }

    private InetSocketAddress address() {
        return server.clientAddresses().stream()
                .filter(bound -> bound.getPort() == line.port(2379))
                .findFirst()
                .orElseThrow();
    }
}
