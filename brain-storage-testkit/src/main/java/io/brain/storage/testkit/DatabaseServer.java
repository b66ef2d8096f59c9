package io.brain.storage.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * Runs a new MariaDB or PostgreSQL for tests, on a free loopback port. With the environment's
 * {@code BRAIN_MYSQLD}, that MySQL server takes MariaDB's place.
 */
public final class DatabaseServer implements AutoCloseable {
    /** Names a kind of server. */
    public enum Kind {
        MARIADB("mysql", "mariadb", "/usr/sbin/mariadbd", "mariadb-server", "start-mariadb.sh"),
        POSTGRES(
                "postgres", "postgresql", "/usr/lib/postgresql", "postgresql", "start-postgres.sh");

        private final String storage;
        private final String scheme;
        private final String installed;
        private final String debianPackage;
        private final String script;

        Kind(String storage, String scheme, String installed, String debianPackage, String script) {
            this.storage = storage;
            this.scheme = scheme;
            this.installed = installed;
            this.debianPackage = debianPackage;
            this.script = script;
        }
    }

    /** Whether {@link Kind#MARIADB} is a MySQL. */
    public static final boolean MYSQL = System.getenv("BRAIN_MYSQLD") != null;

    private static final int STARTS_MAX = 20;
    private static final int START_PAUSE_MILLIS = 500;

    private final Kind kind;
    private final Path directory;
    private final Path passwordFile;
    private final int port;

    private DatabaseServer(Kind kind) throws IOException {
        this.kind = kind;
        // Not in JUnit's directory, which the user of the database cannot enter.
        this.directory = Files.createTempDirectory(kind.debianPackage);
        this.passwordFile = Files.writeString(directory.resolve("password.txt"), "brain\n");
        this.port = FreePorts.next();
    }

    /** Starts a server, or skips the test if the program is not installed. */
    public static DatabaseServer start(Kind kind) throws IOException, InterruptedException {
        if (!Files.exists(Path.of(kind.installed))) {
            throw new TestAbortedException(
                    "no " + kind.installed + ": apt-get install " + kind.debianPackage);
        }
        DatabaseServer server = new DatabaseServer(kind);
        server.restart();
        return server;
    }

    /** Starts the server again after {@link #kill}. */
    public void restart() throws IOException, InterruptedException {
        Path output = directory.resolve("start.log");
        for (int tries = STARTS_MAX; !launch(output); tries--) {
            if (tries == 1) {
                throw new IllegalStateException("did not start: " + Files.readString(output));
            }
            // Processes of a killed PostgreSQL may still be ending.
            Thread.sleep(START_PAUSE_MILLIS);
        }
    }

    private boolean launch(Path output) throws IOException, InterruptedException {
        Process start =
                new ProcessBuilder(
                                script(kind).toString(),
                                directory.toString(),
                                Integer.toString(port))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return start.waitFor(2, TimeUnit.MINUTES) && start.exitValue() == 0;
    }

    /** Kills the server as {@code kill -9} does. */
    public void kill() throws IOException {
        ProcessHandle.of(Long.parseLong(Files.readString(directory.resolve("pid")).strip()))
                .ifPresent(
                        process -> {
                            process.destroyForcibly();
                            process.onExit().join();
                        });
    }

    private static Path script(Kind kind) {
        String name = "test/peers/" + kind.script;
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve(name))) {
            root = root.getParent();
        }
        return root.resolve(name);
    }

    /** Returns the JDBC URL of a database of this server: "brain" or "kine". */
    public String url(String database) {
        // A new user's first connection without TLS asks MySQL for the key that hides the password.
        String parameters = MYSQL && kind == Kind.MARIADB ? "?allowPublicKeyRetrieval=true" : "";
        return "jdbc:" + kind.scheme + "://127.0.0.1:" + port + "/" + database + parameters;
    }

    /** Returns the name of the user who owns the databases. */
    public String user() {
        return "brain";
    }

    /** Returns the flags of a server that stores in the database "brain". */
    public List<String> storageFlags() {
        return List.of(
                "--storage=" + kind.storage,
                "--storage-option=database-url=" + url("brain"),
                "--storage-option=database-user=" + user(),
                "--storage-option=database-password-file=" + passwordFile());
    }

    /** Returns the file that holds the user's password. */
    public Path passwordFile() {
        return passwordFile;
    }

    /** Kills the server and deletes its files. */
    @Override
    public void close() throws IOException {
        kill();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // PostgreSQL's other processes may still be ending, and write.
        }
    }
}
