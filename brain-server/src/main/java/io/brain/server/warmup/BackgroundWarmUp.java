package io.brain.server.warmup;

import com.sun.management.OperatingSystemMXBean;
import io.brain.backend.model.NodeStatus;
import io.brain.server.logging.Logging;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the JVM compile what serves clients, above all writes, before they need it: while a new
 * server is idle, and while a follower only follows. A thread starts a temporary server in this
 * process and makes requests to it, half of the time at most and while the machine is idle. It ends
 * after some thousand requests, or when this server takes writes itself.
 */
public final class BackgroundWarmUp implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundWarmUp.class);

    /** So many writes of clients show that they compile the write path. */
    private static final long WRITES_MAX = 100;

    private static final long STOP_MILLIS_MAX = 2000;
    private static final long PAUSE_MILLIS_MIN = 100;

    /** Share of the CPUs from which on the machine is not idle. */
    private static final double CPU_LOAD_MAX = 0.5;

    /** Its files may be on the disk of the store, which must not become full. */
    private static final long SPACE_BYTES_MIN = 512 << 20;

    /** How often it still waits for an idle machine; then it gives up. */
    private int waits = 600;

    private final boolean isWanted;
    private final TemporaryServer.Starter starter;
    private final DoubleSupplier load;
    private volatile boolean stopped;

    /** Null until it is started. */
    private Thread thread;

    /**
     * Prepares it.
     *
     * @param starter starts the temporary server
     */
    public BackgroundWarmUp(boolean isWanted, TemporaryServer.Starter starter) {
        this(isWanted, starter, BackgroundWarmUp::cpuLoad);
    }

    /** Looks the bean up at the first call: the start does without it. */
    private static double cpuLoad() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getCpuLoad();
    }

    /**
     * The same.
     *
     * @param load share of the machine's CPUs that was busy since the last call
     */
    BackgroundWarmUp(boolean isWanted, TemporaryServer.Starter starter, DoubleSupplier load) {
        this.isWanted = isWanted;
        this.starter = starter;
        this.load = load;
    }

    /**
     * Starts it, if it is wanted.
     *
     * @param server the status of the server that clients use
     */
    public void start(Supplier<NodeStatus> server) {
        if (isWanted) {
            thread = new Thread(Logging.temporaryServers(), () -> run(server), "warm-up");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run(Supplier<NodeStatus> server) {
        try {
            warmUp(server);
        } catch (Exception failed) {
            LOG.debug("warm-up ended", failed);
        }
    }

    private void warmUp(Supplier<NodeStatus> server) throws Exception {
        long revision = server.get().revision();
        BooleanSupplier isNeeded =
                () -> {
                    NodeStatus now = server.get();
                    boolean leads = now.leaderId() == now.memberId();
                    return !leads || now.revision() - revision <= WRITES_MAX;
                };
        if (!await(0, isNeeded) || TemporaryServer.usableBytes() < SPACE_BYTES_MIN) {
            return;
        }
        TemporaryServer temporary = TemporaryServer.start(starter);
        try {
            WarmUp.compile(temporary.address(), worked -> await(worked, isNeeded));
        } finally {
            boolean unused = Thread.interrupted(); // it waits for its threads when it stops
            temporary.close();
        }
    }

    /** Pauses for as long as it worked, and until the machine is idle. */
    private boolean await(long workedNanos, BooleanSupplier isNeeded) throws InterruptedException {
        long millis = Math.max(PAUSE_MILLIS_MIN, TimeUnit.NANOSECONDS.toMillis(workedNanos));
        double unused = load.getAsDouble(); // the next call returns the load since this one
        do {
            TimeUnit.MILLISECONDS.sleep(millis);
            if (stopped || !isNeeded.getAsBoolean()) {
                return false;
            }
        } while (load.getAsDouble() > CPU_LOAD_MAX && --waits > 0);
        return waits > 0;
    }

    /** Tells it to end; does not wait. */
    public void stop() {
        if (!stopped && thread != null) {
            thread.interrupt();
        }
        stopped = true;
    }

    /** Ends it, and waits until its files are deleted, or some seconds. */
    @Override
    public void close() {
        stop();
        try {
            if (thread != null) {
                thread.join(STOP_MILLIS_MAX);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
