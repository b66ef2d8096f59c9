package io.brain.server.warmup;

import io.brain.backend.model.NodeStatus;
import io.brain.server.logging.Logging;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the JVM compile what serves clients, above all writes, before they need it: while a new
 * server is idle, and while a follower only follows. A thread starts a temporary server in this
 * process and makes requests to it, half of the time at most. It ends after some thousand requests,
 * or when this server takes writes itself.
 */
public final class BackgroundWarmUp implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundWarmUp.class);

    /** So many writes of clients show that they compile the write path. */
    private static final long WRITES_MAX = 100;

    private static final long STOP_MILLIS_MAX = 2000;

    private final boolean isWanted;
    private final TemporaryServer.Starter starter;
    private volatile boolean stopped;

    /** Null until it is started. */
    private Thread thread;

    /**
     * Prepares it.
     *
     * @param starter starts the temporary server
     */
    public BackgroundWarmUp(boolean isWanted, TemporaryServer.Starter starter) {
        this.isWanted = isWanted;
        this.starter = starter;
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
        long revision = server.get().revision();
        BooleanSupplier continues =
                () -> {
                    NodeStatus now = server.get();
                    boolean leads = now.leaderId() == now.memberId();
                    return !stopped && !(leads && now.revision() - revision > WRITES_MAX);
                };
        try (TemporaryServer temporary = TemporaryServer.start(starter)) {
            WarmUp.compile(temporary.address(), continues);
        } catch (Exception failed) {
            LOG.debug("warm-up ended", failed);
        }
    }

    /** Tells it to end; does not wait. */
    public void stop() {
        stopped = true;
        if (thread != null) {
            thread.interrupt();
        }
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
