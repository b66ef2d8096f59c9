package io.brain.transfer.backup;

import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.opentest4j.TestAbortedException;

/** A server of S3's protocol with a bucket; a test without it is skipped. */
final class S3Gateway implements AutoCloseable {
    private static final int SECONDS_MAX = 120;

    private static final long PAUSE_NANOS = 20_000_000;

    private final int port;
    private final String bucket;
    private final Process process;

    S3Gateway(Path directory, String bucket) throws IOException {
        this.bucket = bucket;
        Path root = Files.createDirectories(directory.resolve("s3"));
        Files.createDirectories(root.resolve(bucket));
        port = FreePorts.next();
        ProcessBuilder builder =
                new ProcessBuilder(
                        program().toString(),
                        "--quiet",
                        "--port=127.0.0.1:" + port,
                        "posix",
                        root.toString());
        builder.environment().put("ROOT_ACCESS_KEY", "backup");
        builder.environment().put("ROOT_SECRET_KEY", "not-a-secret");
        process =
                builder.redirectErrorStream(true)
                        .redirectOutput(directory.resolve("s3.log").toFile())
                        .start();
        awaitReady();
        System.setProperty("aws.accessKeyId", "backup");
        System.setProperty("aws.secretAccessKey", "not-a-secret");
    }

    private static Path program() {
        String directory = System.getenv("PEERS_BIN");
        Path programs =
                directory != null
                        ? Path.of(directory)
                        : Path.of(System.getProperty("user.home"), ".cache/brain-peers/bin");
        Path program = programs.resolve("versitygw");
        if (!Files.isExecutable(program)) {
            throw new TestAbortedException("no versitygw: run test/peers/build.sh versitygw");
        }
        return program;
    }

    private void awaitReady() throws IOException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException refused) {
                if (!process.isAlive() || System.nanoTime() > until) {
                    close();
                    throw new IOException("versitygw does not serve", refused);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    BackupStore open(String prefix) throws IOException {
        return new S3Store(
                URI.create("s3://" + bucket + "/" + prefix), url(), null, S3Store.CALL_MAX);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
