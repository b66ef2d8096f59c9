package io.brain.conformance.server;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One running server with a directory and ports of its own. Everything is gone after {@link
 * #close()}. Used by one thread at a time.
 */
public final class Server implements AutoCloseable {

    private static final String READY = "ready to serve client requests";

    /** Generous: the first start of Brain in a fresh checkout may build it. */
    private static final long START_SECONDS_MAX = 180;

    /** Another process may take a free port before the server does. */
    private static final int START_ATTEMPTS_MAX = 3;

    private static final long PORT_PAUSE_MILLIS = 1_000;

    private static final long STOP_SECONDS_MAX = 20;
    private static final int LOG_TAIL_LINES = 15;

    private final ServerCommand command;
    private final List<String> flags;
    private final Path folder;
    private final int clientPort;
    private final int memberPort;
    private final int metricsPort;
    private final Thread lastResort = new Thread(this::destroy, "stop-server");
    private int starts;
    private Process process;
    private ManagedChannel channel;

    private Server(ServerCommand command, List<String> flags) throws IOException {
        this.command = command;
        this.folder = Files.createTempDirectory("conformance-" + command.name() + "-");
        this.clientPort = Ports.next();
        this.memberPort = Ports.next();
        this.metricsPort = Ports.next();
        this.flags =
                flags.stream()
                        .map(flag -> flag.replace("{metrics}", Integer.toString(metricsPort)))
                        .toList();
    }

    /**
     * Starts a server on an empty directory and returns when it is ready.
     *
     * @param flags in etcd's names, besides those for name, directory and addresses; {metrics}
     *     stands for the port of {@link #metricsPort}
     */
    public static Server start(ServerCommand command, List<String> flags)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Server server = new Server(command, flags);
            Runtime.getRuntime().addShutdownHook(server.lastResort);
            try {
                server.launch();
                return server;
            } catch (IOException e) {
                server.close();
                if (!isPortTaken(e) || attempt == START_ATTEMPTS_MAX) {
                    throw e;
                }
            } catch (InterruptedException | RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }

    public String name() {
        return command.name();
    }

    public int port() {
        return clientPort;
    }

    /** A port for metrics, if a flag tells the server to listen there. */
    public int metricsPort() {
        return metricsPort;
    }

    public URI http() {
        return URI.create("http://127.0.0.1:" + clientPort);
    }

    /** A channel to the present process. Valid until the next restart; the server closes it. */
    public ManagedChannel channel() {
        return channel;
    }

    /** The id of the present process. */
    public long pid() {
        return process.pid();
    }

    /** Null while the process lives, else the last lines that it wrote. */
    public String lastWords() {
        return process.isAlive() ? null : logTail();
    }

    /** Stops the process as an operator would, and starts it again on the same directory. */
    public void restart() throws IOException, InterruptedException {
        channel.shutdownNow();
        process.destroy();
        if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IOException(name() + " does not stop" + logTail());
        }
        launchAgain();
    }

    /** Kills the process without warning, and starts it again on the same directory. */
    public void killAndRestart() throws IOException, InterruptedException {
        channel.shutdownNow();
        destroy();
        launchAgain();
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        destroy();
        try {
            Runtime.getRuntime().removeShutdownHook(lastResort);
        } catch (IllegalStateException e) {
            return; // the hook is running: it stops the process, the directory stays
        }
        deleteFolder();
    }

    /** On the same ports: whoever has one for a moment gives it back. */
    private void launchAgain() throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                launch();
                return;
            } catch (IOException e) {
                if (!isPortTaken(e) || attempt == START_ATTEMPTS_MAX) {
                    throw e;
                }
                Thread.sleep(PORT_PAUSE_MILLIS);
            }
        }
    }

    private static boolean isPortTaken(IOException e) {
        return e.getMessage().toLowerCase(Locale.ROOT).contains("address already in use");
    }

    private void launch() throws IOException, InterruptedException {
        starts++;
        ProcessBuilder builder =
                new ProcessBuilder(
                        command.line(folder.resolve("data"), clientPort, memberPort, flags));
        // Most live for seconds: Java need not compile well.
        builder.environment().putIfAbsent("BRAIN_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        builder.redirectErrorStream(true).redirectOutput(log().toFile());
        process = builder.start();
        process.getOutputStream().close();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        while (!Files.readString(log(), StandardCharsets.ISO_8859_1).contains(READY)) {
            if (!process.isAlive()) {
                throw new IOException(name() + " ended at start" + logTail());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(name() + " is not ready in time" + logTail());
            }
            Thread.sleep(20);
        }
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", clientPort)
                        .usePlaintext()
                        .directExecutor()
                        .maxInboundMessageSize(Integer.MAX_VALUE)
                        .build();
    }

    private void destroy() {
        if (process == null) {
            return;
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Path log() {
        return folder.resolve("log-" + starts);
    }

    private String logTail() {
        try (Stream<String> lines = Files.lines(log(), StandardCharsets.ISO_8859_1)) {
            List<String> all = lines.toList();
            int from = Math.max(0, all.size() - LOG_TAIL_LINES);
            return ":\n" + String.join("\n", all.subList(from, all.size()));
        } catch (IOException e) {
            return " (and its log cannot be read: " + e.getMessage() + ")";
        }
    }

    private void deleteFolder() {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new IllegalStateException("left behind: " + folder, e);
        }
    }
}
