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
 * Detects an idle disk that stalls. If nothing was synced for {@link #PAUSE}, a thread overwrites
 * eight bytes of a file and syncs them; under write load it does nothing. Reports stalls only: the
 * engine reports failed writes.
 */
final class DiskProbe implements AutoCloseable, MetricsSource {
    private static final Logger LOG = LoggerFactory.getLogger(DiskProbe.class);
    static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration JOIN_MAX = Duration.ofSeconds(1);
    private static final byte[] CONTENT = {'p', 'r', 'o', 'b', 'e', 'd', '.', '\n'};

    /** A disk to probe. Used by one thread. */
    interface Disk extends AutoCloseable {
        /** Writes a block, and returns when it is durable. */
        void touch() throws IOException;

        @Override
        void close() throws IOException;
    }

    private final Disk disk;
    private final LongSupplier lastSynced;
    private final Thread thread = new Thread(this::run, "brain-disk-probe");
    private final LongAdder probes = new LongAdder();

    /** Start of the running probe in {@link System#nanoTime}; null if there is none. */
    private volatile Long startedAt;

    private volatile boolean closed;

    /**
     * Starts probing.
     *
     * @param lastSynced time of the engine's last sync in {@link System#nanoTime}
     */
    DiskProbe(Disk disk, LongSupplier lastSynced) {
        this.disk = disk;
        this.lastSynced = lastSynced;
        thread.setDaemon(true);
        thread.start();
    }

    /** Duration of the running probe; 0 if there is none. */
    long stalledNanos() {
        Long since = startedAt;
        return since == null ? 0 : System.nanoTime() - since;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter("brain_disk_probes_total", "Syncs of a small file that check an idle disk.")
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
            LOG.debug("cannot close the disk probe", failure);
        }
    }

    private void probe(long now) {
        probes.increment();
        startedAt = now;
        try {
            disk.touch();
        } catch (IOException refused) {
            LOG.debug("disk probe failed", refused);
        } finally {
            startedAt = null;
        }
    }

    /** Stops the thread, unless it hangs in the disk, where it cannot be interrupted. */
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

    /** Probes the disk of a directory, with a file there. */
    static DiskProbe in(Path directory, LongSupplier lastSynced) {
        return new DiskProbe(file(directory.resolve("PROBE")), lastSynced);
    }

    /** Probes a file, created by the first probe. */
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
