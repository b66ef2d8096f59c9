package io.brain.server.etcd;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.brain.backend.Backend;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.server.config.BrainConfig;
import io.brain.server.metrics.Histogram;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import io.brain.transfer.etcd.ExportScope;
import io.brain.transfer.etcd.Exporter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs Snapshot calls, each on a thread of its own: writes the database into a temporary file, then
 * sends the file, slower while the store is written. Two run at once, a few wait, more are refused.
 * Thread-safe.
 *
 * <p>A temporary file has no name while it is open, so it ends with the call or with the process.
 */
public final class Snapshots implements MetricsSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
    private static final int RUNNING_MAX = 2;
    private static final int WAITING_MAX = 8;
    private static final int IDLE_SECONDS = 10;
    private static final int STOP_SECONDS = 10;
    private static final Duration STALL_MAX = Duration.ofSeconds(30);

    private final Source source;
    private final Duration stallMax;
    private final LongSupplier revision;
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    RUNNING_MAX,
                    RUNNING_MAX,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(WAITING_MAX));

    /** Temporary files that no call uses. */
    private final Queue<Path> files = new ArrayBlockingQueue<>(RUNNING_MAX);

    private final Histogram durations = Histogram.ofSeconds(10_000_000, 17);
    private volatile boolean closed;

    /** Writes a database. */
    @FunctionalInterface
    public interface Source {
        /**
         * Writes the database.
         *
         * @param after the revision after which its changes begin; 0: all
         * @param file empty; left open
         * @param sortFile another temporary file, deleted afterwards
         * @param check called often; throws to cancel
         */
        void write(long after, FileChannel file, Path sortFile, Runnable check) throws IOException;
    }

    /**
     * Creates the component; threads start with the first call.
     *
     * @param dataDirectory for temporary files; if it does not exist, they are in Java's
     * @param stallMax time after which a client that does not read is disconnected
     * @param revision the newest revision of the store; while it changes, snapshots give way
     */
    public Snapshots(Source source, Path dataDirectory, Duration stallMax, LongSupplier revision) {
        this.source = source;
        this.stallMax = stallMax;
        this.revision = revision;
        Path shared = Path.of(System.getProperty("java.io.tmpdir"));
        Path prefix =
                Files.isDirectory(dataDirectory)
                        ? dataDirectory.resolve("SNAPSHOT-")
                        : shared.resolve("brain-snapshot-" + UUID.randomUUID() + "-");
        for (int i = 1; i <= RUNNING_MAX; i++) {
            files.add(prefix.resolveSibling(prefix.getFileName().toString() + i));
        }
        threads.allowCoreThreadTimeOut(true);
        AtomicInteger started = new AtomicInteger();
        threads.setThreadFactory(
                task -> {
                    Thread thread = new Thread(task, "brain-snapshot-" + started.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Snapshots of a store. */
    public static Snapshots of(Exporter exporter, BrainConfig config, Backend backend) {
        return new Snapshots(
                (after, file, sortFile, check) ->
                        exporter.export(
                                file,
                                sortFile,
                                ExportScope.increment(after),
                                (step, done, total) -> check.run()),
                config.dataDir(),
                STALL_MAX,
                () -> backend.status().revision());
    }

    /** Runs a call; fails with TOO_MANY_REQUESTS or STOPPED. */
    void start(SnapshotCall call) {
        threads.getQueue().removeIf(waiting -> ((Job) waiting).call.isOver());
        try {
            threads.execute(new Job(call));
        } catch (RejectedExecutionException full) {
            throw new BackendException(closed ? ErrorKind.STOPPED : ErrorKind.TOO_MANY_REQUESTS);
        }
    }

    @Override
    public void writeTo(MetricsText text) {
        text.histogram(
                "etcd_disk_backend_snapshot_duration_seconds",
                "Durations of Snapshot calls in seconds.");
        durations.writeTo(text);
    }

    /** Fails all calls with STOPPED, and waits until none reads the store. */
    @Override
    public void close() {
        closed = true;
        threads.shutdownNow().forEach(waiting -> ((Job) waiting).fail(stopped()));
        try {
            if (!threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("a snapshot did not stop in {} s", STOP_SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static BackendException stopped() {
        return new BackendException(ErrorKind.STOPPED);
    }

    /** A call that runs or waits. */
    private final class Job implements Runnable {
        private final SnapshotCall call;

        /** Null until the job runs. */
        private SnapshotPacer pacer;

        Job(SnapshotCall call) {
            this.call = call;
        }

        @Override
        public void run() {
            long began = System.nanoTime();
            Path path = files.remove();
            try {
                pacer = new SnapshotPacer(revision, SnapshotPacer.Time.SYSTEM);
                send(path);
            } catch (CancellationException ended) {
                LOG.info("snapshot canceled by the client");
            } catch (IOException | RuntimeException failure) {
                fail(closed ? stopped() : failure);
            } catch (InterruptedException stopping) {
                fail(stopped());
            } finally {
                files.add(path);
                durations.record(System.nanoTime() - began);
            }
        }

        private void send(Path path) throws IOException, InterruptedException {
            Path sortFile = path.resolveSibling(path.getFileName() + ".sort");
            // Deletes the name at once, and the content when the file is closed.
            try (FileChannel file =
                    FileChannel.open(
                            path, CREATE, TRUNCATE_EXISTING, READ, WRITE, DELETE_ON_CLOSE)) {
                long began = System.nanoTime();
                source.write(call.after(), file, sortFile, this::check);
                long written = System.nanoTime();
                LOG.info(
                        "sending snapshot bytes={} writtenMillis={}",
                        file.size(),
                        TimeUnit.NANOSECONDS.toMillis(written - began));
                call.send(file, stallMax, this::check);
                LOG.info(
                        "sent snapshot bytes={} millis={}",
                        file.size(),
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - written));
            }
        }

        private void check() {
            if (closed) {
                throw stopped();
            }
            call.checkNotOver();
            try {
                pacer.step();
            } catch (InterruptedException stopping) {
                throw stopped();
            }
        }

        void fail(Exception failure) {
            call.fail(failure);
        }
    }
}
