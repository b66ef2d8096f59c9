package io.brain.conformance.members;

import io.brain.conformance.cluster.FreePorts;
import io.brain.conformance.cluster.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** A real database server, fresh, on a free loopback port. */
final class DatabaseBed implements AutoCloseable {
    /** A kind of server. */
    enum Kind {
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

    private final Kind kind;
    private final Path directory;
    private final Path password;
    private final int port;

    private DatabaseBed(Kind kind) throws IOException {
        this.kind = kind;
        // Not in JUnit's directory, which the user of the database cannot enter.
        this.directory = Files.createTempDirectory(kind.debianPackage);
        this.password = Files.createTempFile("password", "");
        this.port = FreePorts.next();
        Files.writeString(password, "brain\n");
    }

    /** Starts a server; a test without the program is skipped. */
    static DatabaseBed start(Kind kind) throws IOException, InterruptedException {
        if (!Files.exists(Path.of(kind.installed))) {
            throw new TestAbortedException(
                    "no " + kind.installed + ": apt-get install " + kind.debianPackage);
        }
        DatabaseBed bed = new DatabaseBed(kind);
        Path output = Files.createTempFile(kind.debianPackage, ".log");
        Process start =
                new ProcessBuilder(
                                Repository.root().resolve("test/peers/" + kind.script).toString(),
                                bed.directory.toString(),
                                Integer.toString(bed.port))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        if (!start.waitFor(2, TimeUnit.MINUTES) || start.exitValue() != 0) {
            throw new IllegalStateException("did not start: " + Files.readString(output));
        }
        Files.delete(output);
        return bed;
    }

    /** Flags of a Brain server on this database. */
    List<String> flags() {
        return List.of(
                "--storage=" + kind.storage,
                "--storage-option=database-url=jdbc:%s://127.0.0.1:%d/brain"
                        .formatted(kind.scheme, port),
                "--storage-option=database-user=brain",
                "--storage-option=database-password-file=" + password);
    }

    private Optional<ProcessHandle> process() throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(directory.resolve("pid")).strip()));
    }

    @Override
    public void close() throws IOException {
        process()
                .ifPresent(
                        process -> {
                            process.destroyForcibly();
                            process.onExit().join();
                        });
        Files.delete(password);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // PostgreSQL's other processes may still be ending, and write.
        }
    }
}
