package io.brain.bench.wire;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The only thread of all connections, clients and counts, so that the client needs no locks. */
public final class Loop implements AutoCloseable {

    private static final long TASK_SECONDS_MAX = 60;

    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    /** Event loop group of the connections. */
    EventLoopGroup group() {
        return group;
    }

    /** Queues a task for the thread. */
    public void execute(Runnable task) {
        group.execute(task);
    }

    /**
     * Runs a task on the thread and waits for it.
     *
     * @throws IOException if it fails, or does not run within a minute
     */
    public <T> T run(Callable<T> task) throws IOException, InterruptedException {
        try {
            return group.submit(task).get(TASK_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause());
        } catch (TimeoutException stuck) {
            throw new IOException("the client's thread is stuck", stuck);
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
