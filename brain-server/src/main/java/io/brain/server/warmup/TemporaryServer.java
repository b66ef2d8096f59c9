package io.brain.server.warmup;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server on a temporary directory and a free loopback port. */
public final class TemporaryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryServer.class);

    /** Followed by the process ID. */
    private static final String PREFIX = "brain-warm-up-";

    private final Path directory;
    private final Server server;

    /** A server that has started. */
    public interface Server extends AutoCloseable {
        /** TCP addresses of the client listener. */
        List<InetSocketAddress> clientAddresses();

        @Override
        void close();
    }

    /** Starts a server. */
    public interface Starter {
        Server start(BrainConfig config) throws ServerException;
    }

    private TemporaryServer(Path directory, Server server) {
        this.directory = directory;
        this.server = server;
    }

    /** Creates the directory and starts the server. */
    public static TemporaryServer start(Starter starter) throws IOException, ServerException {
        Path directory = Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + '-');
        deleteLeftOvers(directory.getParent());
        try {
            return new TemporaryServer(directory, starter.start(config(directory)));
        } catch (ServerException | RuntimeException failure) {
            delete(directory);
            throw failure;
        }
    }

    private static BrainConfig config(Path directory) {
        List<String> flags =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--storage-option=ballast-size=0",
                        "--storage-option=memtable-size=4MiB",
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379");
        return CommandLineReader.read(flags, Map.of()).config();
    }

    public InetSocketAddress address() {
        return server.clientAddresses().get(0);
    }

    /** Stops it and deletes its files. */
    @Override
    public void close() throws IOException {
        try {
            server.close();
        } finally {
            delete(directory);
        }
    }

    /** Deletes what killed processes left. */
    static void deleteLeftOvers(Path parent) throws IOException {
        List<Path> directories = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, PREFIX + "[0-9]*-*")) {
            all.forEach(directories::add);
        }
        for (Path directory : directories) {
            try {
                if (isLeftOver(directory)) {
                    delete(directory);
                }
            } catch (IOException | UncheckedIOException others) {
                // Another user's, or deleted by another process.
                LOG.debug("cannot delete {}", directory, others);
            }
        }
    }

    /** True if its process has ended, or another has the ID since. */
    private static boolean isLeftOver(Path directory) throws IOException {
        String name = directory.getFileName().toString();
        String pid = name.substring(PREFIX.length(), name.indexOf('-', PREFIX.length()));
        Instant written = Files.getLastModifiedTime(directory).toInstant();
        return ProcessHandle.of(Long.parseLong(pid))
                .map(process -> process.info().startInstant().filter(written::isBefore).isPresent())
                .orElse(true);
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
