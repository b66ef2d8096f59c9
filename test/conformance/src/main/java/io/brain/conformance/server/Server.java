package io.brain.conformance.server;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One server with a directory and ports of its own, and a channel to it. Everything is gone after
 * {@link #close()}. Used by one thread at a time.
 */
public final class Server implements AutoCloseable {

    /** Another process may take a free port before the server does. */
    private static final int START_ATTEMPTS_MAX = 3;

    private static final long PORT_PAUSE_MILLIS = 1_000;

    private final ServerCommand command;
    private final ServerHome home;
    private ServerProcess process;
    private ManagedChannel channel;

    private Server(ServerCommand command) throws IOException {
        this.command = command;
        this.home =
                ServerHome.fresh(Files.createTempDirectory("conformance-" + command.name() + "-"));
    }

    /**
     * Starts a server on an empty directory and returns when it is ready.
     *
     * @param flags in etcd's names, besides those for name, directory and addresses
     */
    public static Server start(ServerCommand command, List<String> flags)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Server server = new Server(command.withFlags(flags).quicklyCompiled());
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
        return home.clientPort();
    }

    /** A port for metrics and health alone. */
    public int metricsPort() {
        return home.metricsPort();
    }

    public URI http() {
        return URI.create(home.clientUrl());
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
        return process.isAlive() ? null : process.lastWords();
    }

    /** Stops the process as an operator would, and starts it again on the same directory. */
    public void restart() throws IOException, InterruptedException {
        channel.shutdownNow();
        if (!process.stop()) {
            throw new IOException(name() + " does not stop" + process.lastWords());
        }
        launchAgain();
    }

    /** Kills the process without warning, and starts it again on the same directory. */
    public void killAndRestart() throws IOException, InterruptedException {
        channel.shutdownNow();
        process.kill();
        launchAgain();
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        if (process != null) {
            process.kill();
        }
        try (Stream<Path> paths = Files.walk(home.directory())) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new IllegalStateException("left behind: " + home.directory(), e);
        }
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
        process = ServerProcess.start(command, home);
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port())
                        .usePlaintext()
                        .directExecutor()
                        .maxInboundMessageSize(Integer.MAX_VALUE)
                        .build();
    }
}
