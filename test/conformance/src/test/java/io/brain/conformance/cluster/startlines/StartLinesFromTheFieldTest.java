package io.brain.conformance.cluster.startlines;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.kube.KubeApiServer;
import io.brain.conformance.members.TikvBed;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five files that start an etcd in the field start the server as a process of its own, with nothing
 * changed but the program, and for three nodes the storage; and its clients find what they look
 * for.
 */
@Tag("peer")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StartLinesFromTheFieldTest {
    private static final String ETCD_PKI = "/etc/etcd/pki";
    private static final String KUBE_PKI = "/etc/kubernetes/pki/etcd";
    private static final String HEALTHY = "\"health\":\"true\"";
    private static final long HEALTHY_SECONDS_MAX = 120;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path root;

    private final List<ServerProcess> servers = new ArrayList<>();
    private Machine machine;

    @BeforeAll
    static void buildTheProgram() throws Exception {
        List<String> words = new ArrayList<>(ServerCommand.underTest().words());
        words.add("--version");
        Process process =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(process.waitFor(4, TimeUnit.MINUTES)).as("it says its version").isTrue();
    }

    @BeforeEach
    void prepareTheMachine() throws Exception {
        Peer.ETCDCTL.require();
        Peer.CURL.require();
        machine = new Machine(root);
    }

    @AfterEach
    void stop() {
        servers.forEach(ServerProcess::close);
    }

    @Test
    void kubeadmsStaticPod() throws Exception {
        machine.certify(KUBE_PKI, "server", "peer", "healthcheck-client");
        Map<?, ?> pod = machine.yaml("kubeadm-static-pod.yaml");
        StartLine line = StartLine.ofPod(pod);
        ServerProcess server = start("etcd", line, Map.of());
        for (String host : List.of("127.0.0.1", "127.0.0.2")) {
            FieldClient client = client("https", host, KUBE_PKI, "healthcheck-client");
            awaitHealth(server, client);
            requireServed(client);
            FieldClient nobody =
                    new FieldClient(client.endpoint(), client.identity().subList(0, 1));
            assertThat(nobody.page("/health").code()).as("without a certificate").isNotZero();
        }
        List<String> probes = StartLine.probesOfPod(pod);
        for (String probe : probes) {
            assertThat(FieldClient.get(probe).code()).as(probe).isZero();
        }
        assertThat(Files.isDirectory(machine.path("/var/lib/etcd"))).isTrue();
        summary("kubeadm static pod", line, "/health over mutual TLS, its three probes");
    }

    @Test
    void aDistributionsUnitWithItsFileOfVariables() throws Exception {
        machine.install("distribution.env", "/etc/default/etcd");
        StartLine line = StartLine.ofUnit(machine.text("distribution.service"));
        ServerProcess server = start("etcd", line, Map.of());
        for (String host : List.of("localhost", "127.0.0.2")) {
            FieldClient client = client("http", host);
            awaitHealth(server, client);
            requireServed(client);
        }
        assertThat(Files.isDirectory(machine.path("/var/lib/etcd/default"))).isTrue();
        summary("systemd unit of a distribution", line, "/health");
    }

    @Test
    void dockerComposesService() throws Exception {
        StartLine line = StartLine.ofCompose(machine.yaml("docker-compose.yaml"), "etcd");
        ServerProcess server = start("etcd", line, Map.of());
        FieldClient client = client("http", "127.0.0.1");
        awaitHealth(server, client);
        requireServed(client);
        assertThat(Files.isDirectory(machine.path("/var/lib/etcd-data"))).isTrue();
        summary("docker-compose", line, "/health");
    }

    /**
     * k3s takes an external etcd as it is: it keeps its own certificates under /bootstrap, and has
     * its kube-apiserver connect with what datastore-... says.
     */
    @Test
    void aDatastoreForK3s() throws Exception {
        machine.certify(ETCD_PKI, "server", "peer", "client");
        StartLine line = StartLine.ofScript(machine.text("k3s-datastore.sh"));
        ServerProcess server = start("etcd", line, Map.of());
        Map<?, ?> k3s = machine.yaml("k3s-config.yaml");
        List<Path> identity = new ArrayList<>();
        for (String key : List.of("cafile", "certfile", "keyfile")) {
            identity.add(Path.of(k3s.get("datastore-" + key).toString()));
        }
        String endpoint = k3s.get("datastore-endpoint").toString();
        FieldClient client = new FieldClient(endpoint, identity);
        awaitHealth(server, pages());
        requireServed(client);

        assertThat(client.etcdctl("get", "--prefix", "/bootstrap")).isEmpty();
        String create =
                "mod(\"/bootstrap/of-a-token\") = \"0\"\n\nput /bootstrap/of-a-token v1\n\n";
        assertThat(client.etcdctl(List.of("txn"), create + "\n")).startsWith("SUCCESS");
        assertThat(client.etcdctl(List.of("txn"), create + "\n")).startsWith("FAILURE");
        assertThat(client.etcdctl("get", "--prefix", "/bootstrap")).contains("v1");

        List<String> flags =
                List.of(
                        "--etcd-cafile=" + identity.get(0),
                        "--etcd-certfile=" + identity.get(1),
                        "--etcd-keyfile=" + identity.get(2));
        try (KubeApiServer kube = KubeApiServer.start(root.resolve("kube"), endpoint, flags)) {
            assertThat(kube.url()).startsWith("https://");
            assertThat(client.etcdctl("get", "--prefix", "--keys-only", "/registry/namespaces/"))
                    .contains("/registry/namespaces/kube-system");
        }
        summary("k3s external datastore", line, "k3s's bootstrap key, a ready kube-apiserver");
    }

    @Test
    void theFilesOfThreeNodes() throws Exception {
        Peer.requireTikv();
        machine.certify(ETCD_PKI, "server", "peer", "client");
        StartLine line = new StartLine(List.of(), Map.of());
        try (TikvBed bed = TikvBed.start(root, Peer.builtPrograms())) {
            Map<String, String> storage =
                    Map.of("BRAIN_STORAGE", "tikv", "BRAIN_PD_ENDPOINTS", bed.pdEndpoints());
            List<FieldClient> clients = new ArrayList<>();
            for (int node = 1; node <= 3; node++) {
                line = new StartLine(List.of("--config-file", fileOfNode(node)), Map.of());
                ServerProcess unused = start("infra" + node, line, storage);
                clients.add(client("https", "127.0.0." + (1 + node), ETCD_PKI, "client"));
            }
            for (int i = 0; i < clients.size(); i++) {
                awaitHealth(servers.get(i), clients.get(i));
            }
            for (FieldClient client : clients) {
                requireServed(client);
            }
            assertThat(clients.get(1).etcdctl("put", "from", "the second")).isEqualTo("OK\n");
            assertThat(clients.get(2).etcdctl("get", "from")).isEqualTo("from\nthe second\n");
            assertThat(clients.get(0).etcdctl("member", "list").lines())
                    .hasSize(3)
                    .allMatch(member -> member.contains("started"));
            summary("three configuration files", line, "/health over mutual TLS, 3 members");
            servers.forEach(ServerProcess::close);
        }
    }

    /** The file is the first node's; an administrator changes name and addresses for the others. */
    private String fileOfNode(int node) throws IOException {
        String path = "/etc/etcd/etcd-" + node + ".yaml";
        Path file = machine.install("three-nodes.yaml", path);
        List<String> lines = new ArrayList<>();
        for (String text : Files.readAllLines(file)) {
            if (node > 1 && !text.startsWith("initial-cluster:")) {
                text =
                        text.replace("infra1", "infra" + node)
                                .replace("127.0.0.2", "127.0.0." + (1 + node));
                text = text.replace("/var/lib/etcd", "/var/lib/etcd-" + node);
                text =
                        text.replace(
                                "http://127.0.0.1:" + machine.port(2383),
                                "http://127.0.0.1:" + FreePorts.next());
            }
            lines.add(text);
        }
        return Files.write(file, lines).toString();
    }

    private ServerProcess start(String name, StartLine line, Map<String, String> storage)
            throws IOException {
        ServerCommand program = ServerCommand.underTest().shortLived();
        Map<String, String> environment = new HashMap<>(program.environment());
        environment.putAll(line.variables());
        environment.putAll(storage);
        ServerProcess server =
                ServerProcess.launchAsGiven(
                        new ServerCommand("server", program.words(), line.flags(), environment),
                        ServerHome.fresh(root.resolve("log-of-" + name)));
        servers.add(server);
        return server;
    }

    private void awaitHealth(ServerProcess server, FieldClient client) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEALTHY_SECONDS_MAX);
        FieldClient.Output page = client.page("/health");
        while (page.code() != 0) {
            assertThat(server.isAlive()).as(server.log()).isTrue();
            assertThat(System.nanoTime()).as(page + server.log()).isLessThan(deadline);
            Thread.sleep(200);
            page = client.page("/health");
        }
        assertThat(page.text()).contains(HEALTHY);
    }

    private static void requireServed(FieldClient client) throws Exception {
        assertThat(client.etcdctl("put", "a key", "a value")).isEqualTo("OK\n");
        assertThat(client.etcdctl("get", "a key")).isEqualTo("a key\na value\n");
        assertThat(client.etcdctl("endpoint", "health")).contains("is healthy");
    }

    private FieldClient client(String scheme, String host) {
        return new FieldClient(scheme + "://" + host + ":" + machine.port(2379), List.of());
    }

    private FieldClient client(String scheme, String host, String pki, String who) {
        List<Path> identity = new ArrayList<>();
        for (String file : List.of("ca.crt", who + ".crt", who + ".key")) {
            identity.add(machine.path(pki + "/" + file));
        }
        return new FieldClient(client(scheme, host).endpoint(), identity);
    }

    /** The listener for HTTP alone; while there is one, that for gRPC has no pages. */
    private FieldClient pages() {
        return new FieldClient("http://127.0.0.1:" + machine.port(2382), List.of());
    }

    private static void summary(String what, StartLine line, String more) {
        System.out.printf(
                "summary: start line, %s: %d words, %d variables; put, get, %s%n",
                what, line.flags().size(), line.variables().size(), more);
    }
}
