package io.brain.conformance.linear.load;

import io.brain.conformance.linear.EventLog;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Compacts close to the newest revision, again and again, and keeps what is compacted for the
 * check. A thread of its own runs it; the rest is thread-safe.
 */
final class Compactor implements Runnable, AutoCloseable {

    private static final int PAUSE_MILLIS_MIN = 300;
    private static final int PAUSE_MILLIS_MAX = 3_000;
    private static final int BACK_MAX = 5;
    private static final long CALL_MILLIS_MAX = 1_500;
    private static final Duration READ_MAX = Duration.ofSeconds(2);

    private final List<ManagedChannel> channels;
    private final Random random;
    private final Lock running;
    private final EventLog log = new EventLog();
    private long asked;
    private int compactions;
    private volatile boolean stopping;

    /**
     * @param running held while it compacts
     */
    Compactor(List<Node> nodes, long seed, Lock running) {
        this.channels = nodes.stream().map(Node::channel).toList();
        this.random = new Random(seed);
        this.running = running;
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                Thread.sleep(
                        PAUSE_MILLIS_MIN + random.nextInt(PAUSE_MILLIS_MAX - PAUSE_MILLIS_MIN));
                running.lockInterruptibly();
                try {
                    compact(
                            random.nextInt(channels.size()),
                            random.nextInt(BACK_MAX + 1),
                            random.nextBoolean());
                } finally {
                    running.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Compacts once.
     *
     * @param node the number of the node that is asked for all
     * @param back how many revisions before the newest
     * @param physical whether to wait until the compacted versions are deleted
     * @return whether it was done; not if the node fails or is too slow
     */
    synchronized boolean compact(int node, int back, boolean physical) throws InterruptedException {
        ManagedChannel channel = channels.get(node);
        channel.resetConnectBackoff();
        try {
            RangeRequest any = RangeRequest.newBuilder().setKey(Keys.of("any")).build();
            long newest = kv(channel).range(any).getHeader().getRevision();
            collect(channel, newest, READ_MAX);
            if (newest - back <= Math.max(asked, EventLog.EMPTY_STORE)) {
                return false;
            }
            asked = newest - back;
            var unused =
                    kv(channel)
                            .compact(
                                    CompactionRequest.newBuilder()
                                            .setRevision(asked)
                                            .setPhysical(physical)
                                            .build());
            compactions++;
            return true;
        } catch (IOException | StatusRuntimeException failed) {
            return false;
        }
    }

    /** Keeps all events up to this revision, which is one of a write. */
    synchronized void collect(ManagedChannel channel, long last, Duration max)
            throws IOException, InterruptedException {
        if (last > log.last()) {
            log.addAll(LogReader.read(channel, log.last() + 1, last, max));
        }
    }

    /** What was collected; complete once it has stopped. */
    synchronized EventLog log() {
        return log;
    }

    /** The newest revision that it asked any node to compact; 0 for none. */
    synchronized long asked() {
        return asked;
    }

    /** How many compactions were done. */
    synchronized int compactions() {
        return compactions;
    }

    /** No more compactions after the present one. */
    void stop() {
        stopping = true;
    }

    @Override
    public void close() {
        stop();
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private static KVGrpc.KVBlockingStub kv(ManagedChannel channel) {
        return KVGrpc.newBlockingStub(channel)
                .withDeadlineAfter(CALL_MILLIS_MAX, TimeUnit.MILLISECONDS);
    }
}
