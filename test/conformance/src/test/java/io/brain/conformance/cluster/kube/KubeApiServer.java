package io.brain.conformance.cluster.kube;

import io.brain.conformance.server.Peer;
import io.brain.conformance.server.Repository;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A running kube-apiserver; its log and certificates are in its directory. */
public final class KubeApiServer implements AutoCloseable {

    /** The script gives up by itself before this. */
    private static final long READY_SECONDS_MAX = 300;

    private static final long STOP_SECONDS_MAX = 90;

    private final Path directory;
    private final int port;
    private final ProcessHandle process;

    private KubeApiServer(Path directory, int port, ProcessHandle process) {
        this.directory = directory;
        this.port = port;
        this.process = process;
    }

    /** Starts one on this store and returns when it is ready. */
    public static KubeApiServer start(Path directory, String storeUrl, List<String> flags)
            throws IOException, InterruptedException {
        Peer.KUBE_APISERVER.require();
        Peer.OPENSSL.require();
        Peer.CURL.require();
        Files.createDirectories(directory);
        int port = FreePorts.next();
        List<String> words = new ArrayList<>();
        words.add(Repository.root().resolve("test/peers/start-kube-apiserver.sh").toString());
        words.addAll(List.of(directory.toString(), storeUrl, Integer.toString(port)));
        // All watches of a test share a connection; the default is 100.
        words.add("--http2-max-streams-per-connection=1000");
        words.addAll(flags);
        Path output = directory.resolve("start.log");
        Process script =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        boolean ended = script.waitFor(READY_SECONDS_MAX, TimeUnit.SECONDS);
        if (!ended || script.exitValue() != 0) {
            script.destroyForcibly();
            stored(directory).ifPresent(ProcessHandle::destroyForcibly);
            throw new IOException("no kube-apiserver: " + Files.readString(output));
        }
        return new KubeApiServer(directory, port, stored(directory).orElseThrow());
    }

    public String url() {
        return "https://127.0.0.1:" + port;
    }

    /** The certificate that clients trust; the server signs it itself. */
    public Path certificate() {
        return directory.resolve("certs/apiserver.crt");
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, STOP_SECONDS_MAX, TimeUnit.SECONDS).join();
        process.destroyForcibly();
    }

    private static Optional<ProcessHandle> stored(Path directory) throws IOException {
        Path file = directory.resolve("kube-apiserver.pid");
        return Files.exists(file)
                ? ProcessHandle.of(Long.parseLong(Files.readString(file).trim()))
                : Optional.empty();
    }
}
