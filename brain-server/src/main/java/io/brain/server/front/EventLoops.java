package io.brain.server.front;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Event loop threads: one accepts connections, the others serve them. */
public final class EventLoops implements AutoCloseable {
    private static final long STOP_SECONDS_MAX = 2;

    private final EventLoopGroup acceptor = group("brain-accept", 1);
    private final EventLoopGroup workers;

    /** Creates the groups; threads start with the first connections. */
    public EventLoops(int workerThreads) {
        workers = group("brain-front", workerThreads);
    }

    /** The thread that accepts connections. */
    public EventLoopGroup acceptor() {
        return acceptor;
    }

    /** The threads that serve inbound and outbound connections. */
    public EventLoopGroup workers() {
        return workers;
    }

    /** Closes open connections and joins the threads. */
    @Override
    public void close() {
        Future<?> accepting = acceptor.shutdownGracefully(0, STOP_SECONDS_MAX, TimeUnit.SECONDS);
        Future<?> serving = workers.shutdownGracefully(0, STOP_SECONDS_MAX, TimeUnit.SECONDS);
        accepting.awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
        serving.awaitUninterruptibly(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    }

    private static EventLoopGroup group(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
    }
}
