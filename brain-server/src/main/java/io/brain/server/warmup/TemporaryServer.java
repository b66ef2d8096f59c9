package io.brain.server.warmup;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import io.brain.transfer.etcd.WorkDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A server on a temporary directory and a free loopback port. */
public final class TemporaryServer implements AutoCloseable {
    /** Any local process can connect to it. */
    private static final long QUOTA_BYTES = 64 << 20;

    private final WorkDirectory directory;
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

    private TemporaryServer(WorkDirectory directory, Server server) {
        this.directory = directory;
        this.server = server;
    }

    /** Creates the directory and starts the server. */
    public static TemporaryServer start(Starter starter) throws IOException, ServerException {
        WorkDirectory directory = WorkDirectory.open(parent());
        try {
            return new TemporaryServer(directory, starter.start(config(directory.path())));
        } catch (ServerException | RuntimeException failure) {
            directory.close();
            throw failure;
        }
    }

    private static Path parent() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** Disk space for its files. */
    static long usableBytes() throws IOException {
        return Files.getFileStore(parent()).getUsableSpace();
    }

    private static BrainConfig config(Path directory) {
        List<String> flags =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--storage-option=ballast-size=0",
                        "--storage-option=memtable-size=4MiB",
                        "--quota-backend-bytes=" + QUOTA_BYTES,
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
            directory.close();
        }
    }
}
