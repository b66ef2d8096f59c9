package io.brain.conformance.server;

import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What stays the same when a server is started again: its directory and its addresses.
 *
 * @param directory holds the data directory and the log
 */
public record ServerHome(Path directory, int clientPort, int peerPort, int metricsPort) {

    /** An empty home in a new directory, on ports that are free now. */
    public static ServerHome fresh(Path directory) throws IOException {
        Files.createDirectories(directory);
        return new ServerHome(directory, FreePorts.next(), FreePorts.next(), FreePorts.next());
    }

    /** The same data on other ports: for a second server that must be refused. */
    public ServerHome onOtherPorts(Path logDirectory) throws IOException {
        ServerHome other = fresh(logDirectory);
        Files.createSymbolicLink(other.data(), data());
        return other;
    }

    public Path data() {
        return directory.resolve("data");
    }

    public Path log() {
        return directory.resolve("server.log");
    }

    /** HOST:PORT for clients. */
    public String target() {
        return "127.0.0.1:" + clientPort;
    }

    public String clientUrl() {
        return "http://" + target();
    }

    public String metricsUrl() {
        return "http://127.0.0.1:" + metricsPort;
    }

    /** etcd's flags for this home. A server without raft takes the peer flags without effect. */
    List<String> flags() {
        String peerUrl = "http://127.0.0.1:" + peerPort;
        return List.of(
                "--name=s1",
                "--data-dir=" + data(),
                "--listen-client-urls=" + clientUrl(),
                "--advertise-client-urls=" + clientUrl(),
                "--listen-metrics-urls=" + metricsUrl(),
                "--listen-peer-urls=" + peerUrl,
                "--initial-advertise-peer-urls=" + peerUrl,
                "--initial-cluster=s1=" + peerUrl);
    }
}
