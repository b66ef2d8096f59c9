package io.brain.server;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.etcd.WarmUp;
import io.brain.server.logging.Logging;
import io.brain.server.process.ServerException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * {@code brain warm-up}: starts a server on a temporary directory and a free loopback port, sends
 * it the common requests, and stops it. The JVM archives the classes loaded (see the script {@code
 * brain}).
 */
final class WarmUpCommand {
    static final String NAME = "warm-up";

    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int READ_MILLIS_MAX = 20_000;

    private WarmUpCommand() {}

    /** Runs the command; returns the exit code. Errors go to {@code errors}. */
    static int run(PrintStream errors) {
        try {
            Path directory = Files.createTempDirectory("brain-warm-up");
            try {
                warmUp(directory);
            } finally {
                delete(directory);
            }
            return DONE;
        } catch (ServerException | IOException | RuntimeException failure) {
            errors.println("warm-up failed: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return FAILED;
    }

    private static void warmUp(Path directory)
            throws ServerException, IOException, InterruptedException {
        List<String> flags =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379");
        BrainConfig config = CommandLineReader.read(flags, Map.of()).config();
        Logging.configure(config.log());
        try (BrainServer server = BrainServer.start(config)) {
            InetSocketAddress address = server.clientAddresses().get(0);
            WarmUp.run(address);
            for (String page : List.of("/readyz", "/livez", "/health", "/metrics")) {
                get("http://127.0.0.1:" + address.getPort() + page);
            }
        }
    }

    /** Sends a GET request; fails unless the status is 200. */
    private static void get(String url) throws IOException {
        URLConnection connection = URI.create(url).toURL().openConnection();
        connection.setReadTimeout(READ_MILLIS_MAX);
        try (InputStream body = connection.getInputStream()) {
            body.readAllBytes();
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
