package io.brain.server.command;

import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.logging.Logging;
import io.brain.server.process.ServerException;
import io.brain.server.warmup.TemporaryServer;
import io.brain.server.warmup.WarmUp;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLConnection;
import java.util.List;
import java.util.Map;

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
        Logging.configure(CommandLineReader.read(List.of(), Map.of()).config().log());
        try (TemporaryServer server = TemporaryServer.start(BrainServer::start)) {
            InetSocketAddress address = server.address();
            WarmUp.run(address);
            for (String page : List.of("/readyz", "/livez", "/health", "/metrics")) {
                get("http://127.0.0.1:" + address.getPort() + page);
            }
            return DONE;
        } catch (ServerException | IOException | RuntimeException failure) {
            errors.println("warm-up failed: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return FAILED;
    }

    /** Sends a GET request; fails unless the status is 200. */
    private static void get(String url) throws IOException {
        URLConnection connection = URI.create(url).toURL().openConnection();
        connection.setReadTimeout(READ_MILLIS_MAX);
        try (InputStream body = connection.getInputStream()) {
            body.readAllBytes();
        }
    }
}
