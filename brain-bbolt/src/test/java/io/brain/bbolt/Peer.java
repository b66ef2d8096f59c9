package io.brain.bbolt;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/**
 * Programs of test/peers. A test without them is skipped, with a line that says how to get them.
 */
final class Peer {
    private static final long SECONDS_MAX = 120;

    private Peer() {}

    /** Runs a program and returns its output; fails if it does. */
    static String run(String program, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(program(program).toString()));
        line.addAll(List.of(arguments));
        Path errors = Files.createTempFile("peer", ".log");
        Process process = new ProcessBuilder(line).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(line + " failed: " + output + Files.readString(errors));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
            Files.delete(errors);
        }
        return output;
    }

    private static Path program(String name) {
        String directory = System.getenv("PEERS_BIN");
        Path programs =
                directory != null
                        ? Path.of(directory)
                        : Path.of(System.getProperty("user.home"), ".cache/brain-peers/bin");
        if (!Files.isExecutable(programs.resolve(name))) {
            throw new TestAbortedException(
                    "no " + name + ": run test/peers/build.sh etcd older-etcd");
        }
        return programs.resolve(name);
    }

    /** A server of etcd with one member. */
    static final class Etcd implements AutoCloseable {
        private final Path directory;
        private final String url;
        private final Process process;

        /** Starts a version, from its data if the directory has any. */
        Etcd(String program, Path directory) throws IOException {
            this.directory = directory;
            this.url = "http://127.0.0.1:" + FreePorts.next();
            String peerUrl = peerUrl(directory);
            process =
                    new ProcessBuilder(
                                    program(program).toString(),
                                    "--name=default",
                                    "--data-dir=" + directory,
                                    "--listen-client-urls=" + url,
                                    "--advertise-client-urls=" + url,
                                    "--listen-peer-urls=" + peerUrl,
                                    "--initial-advertise-peer-urls=" + peerUrl,
                                    "--initial-cluster=default=" + peerUrl)
                            .redirectErrorStream(true)
                            .redirectOutput(Path.of(directory + ".log").toFile())
                            .start();
        }

        /** The URL in the member's record; nothing listens to another member there. */
        static String peerUrl(Path directory) throws IOException {
            Path file = Path.of(directory + ".peer");
            if (!Files.exists(file)) {
                Files.writeString(file, "http://127.0.0.1:" + FreePorts.next());
            }
            return Files.readString(file);
        }

        String ctl(String... arguments) throws IOException {
            List<String> all = new ArrayList<>(List.of("--endpoints=" + url));
            all.addAll(List.of("--command-timeout=60s", "--dial-timeout=20s"));
            all.addAll(List.of(arguments));
            return run("etcdctl", all.toArray(String[]::new));
        }

        void benchmark(String... arguments) throws IOException {
            List<String> all = new ArrayList<>(List.of("--endpoints=" + url));
            all.addAll(List.of(arguments));
            run("benchmark", all.toArray(String[]::new));
        }

        Path database() {
            return directory.resolve("member/snap/db");
        }

        @Override
        public void close() throws IOException {
            process.destroy();
            try {
                if (!process.waitFor(20, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }
}
