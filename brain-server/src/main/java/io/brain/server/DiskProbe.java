package io.brain.server;

import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a disk that hangs while nobody writes. Whenever nothing was synced for {@link #PAUSE}, a
 * thread writes the same eight bytes to a file of its own and syncs them: one block, over and over,
 * and nothing at all on a server that is written to. Only that it takes long is told: what refuses
 * a write says so to the engine.
 */
final class DiskProbe implements AutoCloseable, MetricsSource {
    private static final Logger LOG = LoggerFactory.getLogger(DiskProbe.class);
    static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration JOIN_MAX = Duration.ofSeconds(1);
    private static final byte[] CONTENT = {'p', 'r', 'o', 'b', 'e', 'd', '.', '\n'};

    /** What is probed. Used by one thread. */
    interface Disk extends AutoCloseable {
        /** Writes something, and returns when it is there for good. */
        void touch() throws IOException;

        @Override
        void close() throws IOException;
    }

    private final Disk disk;
    private final LongSupplier lastSynced;
    private final Thread thread = new Thread(this::run, "brain-disk-probe");
    private final LongAdder probes = new LongAdder();

    /** Since when a probe is under way, as {@link System#nanoTime} was; null if none is. */
    private volatile Long begun;

    private volatile boolean closed;

    /**
     * Begins to probe.
     *
     * @param lastSynced when something else was synced last, as {@link System#nanoTime} was
     */
    DiskProbe(Disk disk, LongSupplier lastSynced) {
        this.disk = disk;
        this.lastSynced = lastSynced;
        thread.setDaemon(true);
        thread.start();
    }

    /** For how long a probe is under way; 0 if none is. */
    long hangingNanos() {
        Long since = begun;
        return since == null ? 0 : System.nanoTime() - since;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter(
                        "brain_disk_probes_total",
                        "Syncs of a small file, to see that an idle disk answers.")
                .value(probes.sum());
    }

    private void run() {
        long lastProbed = System.nanoTime();
        while (!closed) {
            long now = System.nanoTime();
            long idle = Math.min(now - lastProbed, now - lastSynced.getAsLong());
            long wait = PAUSE.toNanos() - idle;
            if (wait > 0) {
                LockSupport.parkNanos(wait);
                continue;
            }
            probe(now);
            lastProbed = System.nanoTime();
        }
        try {
            disk.close();
        } catch (IOException failure) {
            LOG.debug("the probe of the disk cannot be closed", failure);
        }
    }

    private void probe(long now) {
        probes.increment();
        begun = now;
        try {
            disk.touch();
        } catch (IOException refused) {
            LOG.debug("the disk refuses a probe", refused);
        } finally {
            begun = null;
        }
    }

    /** Ends the thread; one that hangs in the disk is left there, as nothing can wake it. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(JOIN_MAX.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The disk of a file, which is made when it is first touched. */
    static Disk file(Path path) {
        return new Disk() {
            private FileChannel file;

            @Override
            public void touch() throws IOException {
                if (file == null) {
                    file =
                            FileChannel.open(
                                    path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                }
                file.write(ByteBuffer.wrap(CONTENT), 0);
                file.force(false);
            }

            @Override
            public void close() throws IOException {
                if (file != null) {
                    file.close();
                }
            }
        };
    }
}
