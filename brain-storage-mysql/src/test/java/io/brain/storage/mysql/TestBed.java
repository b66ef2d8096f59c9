package io.brain.storage.mysql;

import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** A real database server, fresh, on a free loopback port. */
final class TestBed implements AutoCloseable {
    /** A kind of server, and what starts it. */
    enum Server {
        MARIADB("mariadb", "/usr/sbin/mariadbd", "mariadb-server"),
        POSTGRES("postgresql", "/usr/lib/postgresql", "postgresql");

        private final String scheme;
        private final String installed;
        private final String debianPackage;

        Server(String scheme, String installed, String debianPackage) {
            this.scheme = scheme;
            this.installed = installed;
            this.debianPackage = debianPackage;
        }
    }

    private final Server server;
    private final Path directory;
    private final int port;
    private final Path password;

    private TestBed(Server server) throws IOException {
        this.server = server;
        // Not in JUnit's directory, which the user of the database cannot enter.
        this.directory = Files.createTempDirectory(server.debianPackage);
        this.port = freePort();
        this.password = Files.createTempFile("password", "");
        Files.writeString(password, "brain\n");
    }

    /** Starts it; a test without the program is skipped with a line that says how to get it. */
    static TestBed start(Server server) {
        if (!Files.exists(Path.of(server.installed))) {
            throw new TestAbortedException(
                    "no " + server.installed + ": apt-get install " + server.debianPackage);
        }
        try {
            TestBed bed = new TestBed(server);
            bed.run();
            return bed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run() {
        String script = server == Server.MARIADB ? "start-mariadb.sh" : "start-postgres.sh";
        Path output = directory.resolveSibling(directory.getFileName() + ".log");
        try {
            Process start =
                    new ProcessBuilder(
                                    root().resolve("test/peers").resolve(script).toString(),
                                    directory.toString(),
                                    Integer.toString(port))
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (!start.waitFor(2, TimeUnit.MINUTES) || start.exitValue() != 0) {
                throw new IllegalStateException("did not start: " + Files.readString(output));
            }
            Files.delete(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private KvStorageFactory factory() {
        return server == Server.MARIADB ? new MysqlStorageFactory() : new PostgresStorageFactory();
    }

    /** Opens a store in tables of this prefix. */
    KvStorage open(String tables, String... more) {
        return factory().open(options(tables, more));
    }

    KvStorage openReadOnly(String tables) {
        return factory().openReadOnly(options(tables));
    }

    /** Connections, with the storage's options. */
    Pools pools(String... options) throws SQLException {
        Dialect dialect = server == Server.MARIADB ? new MysqlDialect() : new PostgresDialect();
        SqlSettings settings = SqlSettings.parse(dialect, options("unused_", options), Map.of());
        Duration limit = settings.limit();
        try (Connection connection = Pools.connect(dialect, settings)) {
            String start = dialect.sessionStart(connection, limit, limit);
            return new Pools(dialect, settings, start, start);
        }
    }

    private Map<String, String> options(String tables, String... more) {
        Map<String, String> options = new HashMap<>();
        options.put("database-url", url(port));
        options.put("database-user", "brain");
        options.put("database-password-file", password.toString());
        options.put("table-prefix", tables);
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    /** The URL of the database if the server had this port. */
    String url(int atPort) {
        return "jdbc:" + server.scheme + "://127.0.0.1:" + atPort + "/brain";
    }

    int port() {
        return port;
    }

    /** Ends it as a power loss would. */
    void kill() {
        process().destroyForcibly();
        process().onExit().join();
    }

    /** Starts it again on what it has stored. */
    void restart() {
        run();
    }

    private ProcessHandle process() {
        try {
            long pid = Long.parseLong(Files.readString(directory.resolve("pid")).strip());
            return ProcessHandle.of(pid).orElseGet(ProcessHandle::current);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        ProcessHandle process = process();
        if (!process.equals(ProcessHandle.current())) {
            process.destroyForcibly();
            process.onExit().join();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(password);
        } catch (IOException | UncheckedIOException e) {
            // PostgreSQL's other processes may still be ending, and write
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("test/peers/start-mariadb.sh"))) {
            at = at.getParent();
        }
        return at;
    }
}
