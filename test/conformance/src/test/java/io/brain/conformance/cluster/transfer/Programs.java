package io.brain.conformance.cluster.transfer;

import io.brain.conformance.cluster.Form;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.Repository;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs that make, check and restore snapshots. */
public final class Programs {

    private static final long SECONDS_MAX = Form.size(120, 3600);
    private static final int HEAP_MEBIBYTES = 256;

    private Programs() {}

    /** Runs a program and returns what it printed; fails if it does. */
    public static String run(Peer program, String... arguments)
            throws IOException, InterruptedException {
        Result result = attempt(program, arguments);
        if (result.code() != 0) {
            throw new IOException(program + " " + List.of(arguments) + ": " + result.text());
        }
        return result.text();
    }

    /** Runs a program that may fail. */
    static Result attempt(Peer program, String... arguments)
            throws IOException, InterruptedException {
        return result(words(program.require(), arguments));
    }

    /** Runs a command of the program {@code brain}, with a small heap. */
    static Result brain(String... arguments) throws IOException, InterruptedException {
        return result(words(Repository.root().resolve("brain"), arguments));
    }

    /** The same; fails if the command does. Returns what it printed. */
    public static String brainDone(String... arguments) throws IOException, InterruptedException {
        Result result = brain(arguments);
        if (result.code() != 0) {
            throw new IOException("brain " + List.of(arguments) + ": " + result.text());
        }
        return result.text();
    }

    /** Starts a command of the program {@code brain}, with a small heap. */
    public static Process startBrain(String... arguments) throws IOException {
        return startBrain(ProcessBuilder.Redirect.DISCARD, arguments);
    }

    /** The same; what it prints on both streams goes to a place. */
    static Process startBrain(ProcessBuilder.Redirect output, String... arguments)
            throws IOException {
        return builder(words(Repository.root().resolve("brain"), arguments))
                .redirectOutput(output)
                .start();
    }

    /**
     * Starts a command of the program {@code brain} and kills it after some time; false if it had
     * ended before. Fails if the command had failed.
     */
    static boolean killBrain(long millis, String... arguments)
            throws IOException, InterruptedException {
        Process process = startBrain(arguments);
        boolean ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
        if (ended && process.exitValue() != 0) {
            throw new IOException("brain " + List.of(arguments) + ": exit " + process.exitValue());
        }
        return !ended;
    }

    /** What a program printed, on both streams. */
    record Result(int code, String text) {}

    public static void save(ServerHome server, Path file) throws IOException, InterruptedException {
        run(
                Peer.ETCDCTL,
                "--endpoints=" + server.target(),
                "--command-timeout=100s",
                "snapshot",
                "save",
                file.toString());
    }

    /** Checks a snapshot file with etcdutl and bbolt, and starts a real etcd from it. */
    public static ServerProcess restore(Path file, ServerHome home)
            throws IOException, InterruptedException {
        return restore(file, Peer.ETCD, home);
    }

    /** The same with a server of some version, and with more options of the restore. */
    static ServerProcess restore(Path file, Peer etcd, ServerHome home, String... options)
            throws IOException, InterruptedException {
        run(Peer.ETCDUTL, "snapshot", "status", file.toString());
        String peerUrl = "http://127.0.0.1:" + home.peerPort();
        List<String> restore =
                new ArrayList<>(
                        List.of(
                                "snapshot",
                                "restore",
                                file.toString(),
                                "--name=s1",
                                "--data-dir=" + home.data(),
                                "--initial-cluster=s1=" + peerUrl,
                                "--initial-advertise-peer-urls=" + peerUrl));
        restore.addAll(List.of(options));
        run(Peer.ETCDUTL, restore.toArray(String[]::new));
        run(Peer.BBOLT, "check", file.toString());
        return ServerProcess.start(ServerCommand.of(etcd), home);
    }

    /** Deletes a directory with all that it contains, if it exists. */
    public static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static List<String> words(Path program, String... arguments) {
        List<String> words = new ArrayList<>(List.of(program.toString()));
        words.addAll(List.of(arguments));
        return words;
    }

    private static Result result(List<String> words) throws IOException, InterruptedException {
        Path output = Files.createTempFile("program", ".log");
        Process process = builder(words).redirectOutput(output.toFile()).start();
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException(words + " does not end: " + Files.readString(output));
            }
            return new Result(
                    process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly().onExit().join();
            Files.delete(output);
        }
    }

    private static ProcessBuilder builder(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("BRAIN_JAVA_OPTS", "-Xmx" + HEAP_MEBIBYTES + "m");
        return builder;
    }
}
